package io.orbitkv.workload.ssd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The flexible I/O tester, as a measure of what the device gives: on the same file, with the same
 * block size and depth, with io_uring and past the page cache.
 */
final class Fio {
  private static final Duration LIMIT_BEYOND = Duration.ofSeconds(60);
  private static final double MICRO = 1e3;

  private final String program;

  private Fio(String program) {
    this.program = program;
  }

  /**
   * What it is to do.
   *
   * @param mode as fio names it
   * @param readBytesPerSecond limit; 0 for none
   * @param writeBytesPerSecond limit; 0 for none
   * @param writeSharePercent of a mixed mode
   * @param apart whether reads and writes of a mixed mode are two jobs, neither of which waits for
   *     the other
   */
  record Job(
      Mode mode,
      double readBytesPerSecond,
      double writeBytesPerSecond,
      int writeSharePercent,
      boolean apart) {}

  /** What is read and written. */
  enum Mode {
    /** New bytes, one after another, as a log is written. */
    WRITE("write"),
    /** In random order. */
    RANDREAD("randread"),
    /** Both, in random order. */
    RANDRW("randrw"),
    /** Writes alone in random order: the other half of two jobs. */
    RANDWRITE("randwrite");

    private final String key;

    Mode(String key) {
      this.key = key;
    }
  }

  /**
   * Where, and how large the blocks.
   *
   * @param file that has its full size
   * @param bytes of the file
   * @param blockBytes of each request
   * @param depth requests at a time
   * @param direct whether the page cache is passed by
   * @param ramp that does not count
   * @param time that counts
   */
  record Target(
      Path file,
      long bytes,
      long blockBytes,
      int depth,
      boolean direct,
      Duration ramp,
      Duration time) {}

  /**
   * Finds the program.
   *
   * @param program path, or name to look for
   * @throws IOException when it does not run, with what to do
   */
  static Fio find(String program) throws IOException, InterruptedException {
    Fio fio = new Fio(program);
    String _ = execute(List.of(program, "--version"), Duration.ofSeconds(10));
    return fio;
  }

  /** The name and version that it gives itself. */
  String version() throws IOException, InterruptedException {
    return execute(List.of(program, "--version"), Duration.ofSeconds(10)).strip();
  }

  /** The command of a job. */
  static List<String> command(String program, Target target, Job job) {
    List<String> command =
        new ArrayList<>(
            List.of(
                program,
                "--filename=" + target.file(),
                "--ioengine=io_uring",
                "--direct=" + (target.direct() ? 1 : 0),
                "--bs=" + target.blockBytes(),
                "--iodepth=" + target.depth(),
                "--size=" + target.bytes() / target.blockBytes() * target.blockBytes(),
                "--time_based",
                "--ramp_time=" + target.ramp().toMillis() + "ms",
                "--runtime=" + target.time().toMillis() + "ms",
                "--lat_percentiles=1",
                "--percentile_list=50:99",
                "--randrepeat=0",
                "--output-format=json"));
    if (job.readBytesPerSecond() > 0 || job.writeBytesPerSecond() > 0) {
      command.add(
          String.format(
              Locale.ROOT,
              "--rate=%.0f,%.0f",
              job.readBytesPerSecond(),
              job.writeBytesPerSecond()));
    }
    if (job.apart()) {
      // What was given before the first name holds for both.
      command.addAll(List.of("--name=reads", "--rw=" + Mode.RANDREAD.key));
      command.addAll(List.of("--name=writes", "--rw=" + Mode.RANDWRITE.key));
      return command;
    }
    command.addAll(List.of("--name=orbitkv", "--rw=" + job.mode().key));
    if (job.mode() == Mode.RANDRW) {
      command.add("--rwmixwrite=" + job.writeSharePercent());
    }
    return command;
  }

  /**
   * Runs a job. What it writes destroys what was in the file.
   *
   * @throws IOException when fio fails, with its own words
   */
  LoadResult run(Target target, Job job) throws IOException, InterruptedException {
    Duration limit = target.ramp().plus(target.time()).plus(LIMIT_BEYOND);
    return parse(execute(command(program, target, job), limit));
  }

  /** Reads what fio prints. */
  static LoadResult parse(String output) throws IOException {
    try {
      // Warnings may stand before the object.
      JsonNode jobs =
          JsonMapper.shared()
              .readTree(output.substring(Math.max(0, output.indexOf('{'))))
              .required("jobs");
      JsonNode reading = jobs.required(0);
      JsonNode writing = jobs.required(jobs.size() - 1);
      return new LoadResult(
          reading.path("job_runtime").asDouble() / MICRO,
          side(reading.required("read")),
          side(writing.required("write")),
          java.util.Map.of(),
          0,
          0);
    } catch (JacksonException unreadable) {
      throw new IOException(
          "fio's report cannot be read: " + unreadable.getOriginalMessage(), unreadable);
    }
  }

  private static LoadResult.Side side(JsonNode side) {
    JsonNode latency = side.path("lat_ns");
    long samples = latency.path("N").asLong(0);
    if (samples == 0) {
      return LoadResult.Side.NONE;
    }
    JsonNode percentiles = latency.path("percentile");
    double p99 = percentiles.path("99.000000").asDouble() / MICRO;
    return new LoadResult.Side(
        side.path("iops").asDouble(),
        side.path("bw_bytes").asDouble(),
        percentiles.path("50.000000").asDouble() / MICRO,
        p99,
        p99,
        samples);
  }

  private static String execute(List<String> command, Duration limit)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("orbitkv-fio-", ".json");
    Path errors = Files.createTempFile("orbitkv-fio-", ".log");
    try {
      Process process;
      try {
        process =
            new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
      } catch (IOException absent) {
        throw new IOException(
            "fio cannot be started as ["
                + command.getFirst()
                + "]: install it (the distribution's package fio), name it with --fio=PATH, or"
                + " leave --fio out",
            absent);
      }
      try {
        process.getOutputStream().close();
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IOException("fio did not end in " + limit.toSeconds() + " s");
        }
      } finally {
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "fio ended with status "
                + process.exitValue()
                + ": "
                + text(errors).lines().reduce((first, last) -> last).orElse("it wrote nothing"));
      }
      return text(output);
    } finally {
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
