package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.replay.ConnectionLostException;
import io.orbitkv.workload.replay.Replay;
import io.orbitkv.workload.replay.ReplayOptions;
import io.orbitkv.workload.replay.ReplayResult;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.MooncakeTrace;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does what {@code replay} was asked for. */
final class ReplayRunner {
  private static final int GENERATED_REQUESTS = 1_000;
  private static final long DEFAULT_SEED = 1;
  private static final long POOL_BYTES = 1L << 30;
  private static final long MAX_DEVICE_BYTES = 1L << 30;
  private static final int DEVICE_SHARE = 8;

  /** Room that an engine has at least, unless that is more than its largest default. */
  private static final int DEVICE_TOKENS = 16_384;

  private static final String STOP = "stop";
  private static final String KILL = "kill";

  private final ReplayCommand command;
  private final PrintWriter out;
  private final PrintWriter err;

  ReplayRunner(ReplayCommand command, PrintWriter out, PrintWriter err) {
    this.command = command;
    this.out = out;
    this.err = err;
  }

  int run() throws IOException, InterruptedException, ManagerStartException {
    check();
    @Nullable Path connect = command.connect();
    @Nullable Path output = command.output();
    long poolBytes = poolBytes();
    ReplayOptions options = options(poolBytes);
    if (output != null) {
      OutputFile.requireWritable("--out", output);
    }
    // The trace comes first: without one there is no need to start anything.
    try (Interruption interruption = new Interruption(out)) {
      boolean kill = KILL.equals(command.restart());
      ReplayResult result = once(options, connect, poolBytes, interruption, kill);
      if (command.restart() == null || result.partial()) {
        tell(result.json(), result.table(), output);
        return verdict(result, err);
      }
      // The first Manager has drained and closed its store, or not: this one finds what it left.
      ReplayResult again = once(options, connect, poolBytes, interruption, false);
      tell(
          result.json(again),
          result.table()
              + (kill ? "\nafter a kill of the Manager\n" : "\nafter a restart of the Manager\n")
              + again.table(),
          output);
      return Math.max(verdict(result, err), verdict(again, err));
    }
  }

  private ReplayResult once(
      ReplayOptions options,
      @Nullable Path connect,
      long poolBytes,
      Interruption interruption,
      boolean kill)
      throws IOException, InterruptedException, ManagerStartException {
    try (TraceSource trace = open()) {
      return connect != null
          ? replay(options, connect, trace, interruption)
          : withManager(
              arguments(poolBytes),
              kill,
              manager -> replay(options, manager.socket(), trace, interruption));
    }
  }

  private void tell(String json, String table, @Nullable Path output) throws IOException {
    out.print(command.json() ? json + "\n" : table);
    if (output != null) {
      OutputFile.write("--out", output, file -> Files.writeString(file, json + "\n"));
    }
  }

  /** Runs {@code work} with a Manager of its own, and makes sure that the Manager went in peace. */
  static <T> T withManager(List<String> arguments, ManagerWork<T> work)
      throws IOException, InterruptedException, ManagerStartException {
    return withManager(arguments, false, work);
  }

  private static <T> T withManager(List<String> arguments, boolean kill, ManagerWork<T> work)
      throws IOException, InterruptedException, ManagerStartException {
    try (ManagerProcess manager = ManagerProcess.start(arguments)) {
      T result = lostToItsLog(manager, work);
      if (kill) {
        manager.kill();
        return result;
      }
      int status = manager.stop();
      if (status != 0) {
        throw CommandException.failure(
            "the Manager ended with status "
                + status
                + " instead of draining; its log ends with:\n"
                + manager.logTail(),
            null);
      }
      return result;
    }
  }

  /** Nobody else sees what a Manager of the command's own said last. */
  private static <T> T lostToItsLog(ManagerProcess manager, ManagerWork<T> work)
      throws IOException, InterruptedException {
    try {
      return work.with(manager);
    } catch (ConnectionLostException lost) {
      throw CommandException.failure(
          lost.getMessage() + "; its log ends with:\n" + manager.logTail(), lost);
    }
  }

  /** Says what is wrong, if anything is. */
  static int verdict(ReplayResult result, PrintWriter err) {
    if (!result.sound()) {
      err.println(
          Main.program()
              + ": not sound: "
              + result.wrongBytes()
              + " wrong bytes, "
              + result.leakedBytes()
              + " leaked bytes, "
              + result.reservedEndBytes()
              + " bytes of budget still reserved, "
              + result.copyFailures()
              + " copies failed, "
              + (result.restoredPages() - result.verifiedPages())
              + " restored pages not compared");
      return Errors.FAILURE;
    }
    if (result.requests() == 0 && !result.partial()) {
      err.println(
          Main.program()
              + ": no request was played: each prompt is longer than the device memory; raise"
              + " --hbm-size or lower --bytes-per-token");
      return Errors.FAILURE;
    }
    return 0;
  }

  private void check() {
    if ((command.trace() != null) == command.generate()) {
      throw CommandException.usage(
          "say which trace: either --trace FILE or --generate"
              + (command.generate() ? ", not both" : ""));
    }
    if (command.seed() != null && !command.generate()) {
      throw CommandException.usage("--seed belongs to --generate: a trace file has no seed");
    }
    if (command.closedLoop() && command.speed() != null) {
      throw CommandException.usage("--closed-loop and --speed exclude each other");
    }
    if (command.lockstep() && command.speed() != null) {
      throw CommandException.usage(
          "--lockstep and --speed exclude each other: in lockstep a request comes when the one"
              + " before it is over");
    }
    Double speed = command.speed();
    if (speed != null && !(speed > 0)) {
      throw CommandException.usage("--speed [" + speed + "] must be above 0");
    }
    String restart = command.restart();
    if (restart != null && !STOP.equals(restart) && !KILL.equals(restart)) {
      throw CommandException.usage("--restart [" + restart + "] must be stop or kill");
    }
    if (restart != null
        && command.manager().config() == null
        && !command.manager().given().containsKey("--ssd-cache-path")) {
      throw CommandException.usage(
          "--restart needs a store that outlives the Manager: name one with --ssd-path");
    }
    if (restart != null && command.connect() != null) {
      throw CommandException.usage(
          "--restart stops a Manager of the command's own: it has no effect with --connect");
    }
    if (command.connect() != null) {
      List<String> arguments = command.manager().arguments();
      if (!arguments.isEmpty()) {
        throw CommandException.usage(
            arguments.getFirst()
                + " sets up a Manager of the command's own: it has no effect with --connect");
      }
      Administration.requireSocket(command.connect());
    }
  }

  private long poolBytes() {
    @Nullable String given = command.manager().poolSize();
    try {
      return given != null ? ByteSize.parse(given).bytes() : Memory.poolBytes(POOL_BYTES);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage("--pool-size: " + problem.getMessage());
    }
  }

  private ReplayOptions options(long poolBytes) {
    EngineFlags engine = command.engine();
    @Nullable ByteSize deviceSize = engine.deviceSize();
    @Nullable Double speed = command.speed();
    @Nullable Integer requests = command.requests();
    try {
      ReplayOptions options =
          new ReplayOptions(
              engine.pageTokens(),
              engine.bytesPerToken(),
              engine.layers(),
              deviceSize != null ? deviceSize.bytes() : deviceBytes(poolBytes, engine),
              engine.concurrencyOr(command.lockstep() ? 1 : EngineFlags.CONCURRENCY),
              speed != null ? speed : 0,
              requests != null ? requests : Long.MAX_VALUE,
              engine.pace(),
              command.lockstep());
      @Nullable String instance = command.instance();
      return instance == null ? options : options.withInstance(named(instance));
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private static String named(String instance) {
    if (instance.isBlank()) {
      throw CommandException.usage(
          "--instance [" + instance + "] is no name: leave it out for another one in each run");
    }
    return instance;
  }

  /** Small beside the pool, as device memory is: otherwise the Manager would have nothing to do. */
  private static long deviceBytes(long poolBytes, EngineFlags engine) {
    long least = (long) DEVICE_TOKENS * engine.bytesPerToken();
    return Math.min(Math.max(poolBytes / DEVICE_SHARE, least), MAX_DEVICE_BYTES);
  }

  private TraceSource open() {
    @Nullable Path file = command.trace();
    if (file != null) {
      return MooncakeTrace.open(file);
    }
    @Nullable Integer requests = command.requests();
    try {
      return new TraceGenerator(
          GeneratorSettings.conversations(
              seed(), requests != null ? requests : GENERATED_REQUESTS));
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private long seed() {
    @Nullable Long seed = command.seed();
    return seed != null ? seed : DEFAULT_SEED;
  }

  private List<String> arguments(long poolBytes) {
    List<String> arguments = new ArrayList<>(command.manager().arguments());
    if (command.manager().poolSize() == null && command.manager().config() == null) {
      arguments.add("--pool-size");
      arguments.add(new ByteSize(poolBytes).toString());
    }
    return arguments;
  }

  private ReplayResult replay(
      ReplayOptions options, Path socket, TraceSource trace, Interruption interruption)
      throws IOException, InterruptedException {
    Replay replay = new Replay(options, socket, trace, command.generate() ? seed() : 0);
    boolean shown = !command.json() && !command.quiet() && ProgressLine.possible();
    interruption.stopWith(replay::cancel);
    return run(replay, shown, total(), err);
  }

  /** Runs a replay, with or without a line that shows how far it is. */
  static ReplayResult run(Replay replay, boolean progress, long total, PrintWriter err)
      throws IOException, InterruptedException {
    if (!progress) {
      return replay.run();
    }
    try (ProgressLine _ = ProgressLine.start(err, total, replay::progress)) {
      return replay.run();
    }
  }

  private long total() {
    @Nullable Integer requests = command.requests();
    return requests != null ? requests : command.generate() ? GENERATED_REQUESTS : 0;
  }

  /** Something to do with a Manager. */
  @FunctionalInterface
  interface ManagerWork<T> {
    T with(ManagerProcess manager) throws IOException, InterruptedException;
  }
}
