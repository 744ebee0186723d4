package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.process.OwnChild;
import io.orbitkv.workload.ssd.KillLoop;
import io.orbitkv.workload.ssd.KillLoopResult;
import io.orbitkv.workload.ssd.SsdBench;
import io.orbitkv.workload.ssd.SsdBenchOptions;
import io.orbitkv.workload.ssd.SsdBenchResult;
import io.orbitkv.workload.ssd.SsdBenchRow;
import io.orbitkv.workload.ssd.SsdVariant;
import io.orbitkv.workload.ssd.StartupBench;
import io.orbitkv.workload.ssd.StartupChild;
import io.orbitkv.workload.ssd.StartupResult;
import io.orbitkv.workload.ssd.TierSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Does what {@code bench ssd} was asked for. */
final class SsdBenchmarks {
  private static final long KILL_SIZE_BYTES = 1L << 30;
  private static final long KILL_POOL_BYTES = 256L << 20;
  private static final int STARTUP_ROUNDS = 3;
  private static final long SIZE_BYTES = 4L << 30;
  private static final double SECONDS = 3;
  private static final double NANOS_A_SECOND = 1e9;

  private final SsdBenchCommand command;
  private final PrintWriter out;
  private final PrintWriter err;

  SsdBenchmarks(SsdBenchCommand command, PrintWriter out, PrintWriter err) {
    this.command = command;
    this.out = out;
    this.err = err;
  }

  int run() throws IOException, InterruptedException, ManagerStartException {
    Integer kills = command.kills();
    Integer startupPages = command.startupPages();
    if (kills != null && startupPages != null) {
      throw CommandException.usage("--kill-loop and --startup exclude each other");
    }
    if (command.fio() != null && (kills != null || startupPages != null)) {
      throw CommandException.usage("--fio has nothing to compare with --kill-loop or --startup");
    }
    if (command.files().size() > 1 && (kills != null || startupPages != null)) {
      throw CommandException.usage("--kill-loop and --startup take one --file");
    }
    String child = command.child();
    try (Interruption interruption = new Interruption(out)) {
      interruption.stopWith(Thread.currentThread()::interrupt);
      if (child != null) {
        return runChild(child);
      }
      if (kills != null) {
        return kill(kills);
      }
      return startupPages != null ? startup(startupPages) : measure();
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    } catch (IllegalStateException | UncheckedIOException refused) {
      throw CommandException.failure(String.valueOf(refused.getMessage()), refused);
    }
  }

  private int measure() throws IOException, InterruptedException, ManagerStartException {
    SsdBenchOptions options = options();
    try (SsdTiers tiers = SsdTiers.load(command.settings())) {
      SsdBench bench = new SsdBench(options, tiers);
      SsdBenchResult result = withProgress(bench::progress, bench::run);
      out.print(command.json() ? result.json() + "\n" : result.table());
      if (!result.sound()) {
        err.println(
            Main.program()
                + ": not sound: "
                + result.wrongBytes()
                + " wrong bytes, not done "
                + result.failures());
        return Errors.FAILURE;
      }
      return 0;
    }
  }

  private int kill(int kills) throws IOException, InterruptedException, ManagerStartException {
    KillLoop.Options options =
        new KillLoop.Options(
            command.file(),
            Optional.ofNullable(command.size()).map(ByteSize::bytes).orElse(KILL_SIZE_BYTES),
            kills,
            duration("--seconds", Optional.ofNullable(command.seconds()).orElse(SECONDS)),
            KILL_POOL_BYTES,
            command.overwrite(),
            command.keep(),
            command.seed(),
            List.of());
    KillLoop loop = new KillLoop(options);
    KillLoopResult result = withProgress(loop::progress, loop::run);
    out.print(command.json() ? result.json() + "\n" : result.table());
    if (!result.sound()) {
      err.println(
          Main.program()
              + ": not sound: "
              + result.wrongBytes()
              + " wrong bytes, "
              + result.strangePages()
              + " pages that nobody published");
      return Errors.FAILURE;
    }
    return 0;
  }

  private int startup(int pages) throws IOException, InterruptedException, ManagerStartException {
    int rounds = Optional.ofNullable(command.rounds()).orElse(STARTUP_ROUNDS);
    ByteSize size =
        Optional.ofNullable(command.size())
            .orElseGet(() -> new ByteSize(StartupBench.bytesFor(pages, rounds)));
    StartupBench.Options options =
        new StartupBench.Options(
            command.file(), size.bytes(), pages, rounds, command.overwrite(), command.keep());
    StartupBench bench =
        new StartupBench(options, (from, to) -> OwnChild.start(childArguments(size, from, to)));
    StartupResult result = withProgress(bench::progress, bench::run);
    out.print(command.json() ? result.json() + "\n" : result.table());
    if (!result.complete()) {
      err.println(Main.program() + ": a start did not find every page that had been stored");
      return Errors.FAILURE;
    }
    return 0;
  }

  private List<String> childArguments(ByteSize size, long from, long to) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "bench",
                "ssd",
                "--child",
                from + "-" + to,
                "--file",
                command.file().toAbsolutePath().toString(),
                "--size",
                size.toString(),
                "--engines",
                command.engines().getFirst(),
                "--direct",
                command.direct()));
    command
        .settings()
        .forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    return arguments;
  }

  private int runChild(String range) throws IOException, InterruptedException {
    int dash = range.indexOf('-');
    TierSource.Store store =
        new TierSource.Store(
            List.of(command.file()),
            Optional.ofNullable(command.size()).map(ByteSize::bytes).orElse(SIZE_BYTES),
            command.engines().getFirst(),
            isDirect(),
            false,
            command.writeShare(),
            Map.of());
    try (SsdTiers tiers = SsdTiers.load(command.settings())) {
      StartupChild.run(
          tiers,
          store,
          Long.parseLong(range.substring(0, dash)),
          Long.parseLong(range.substring(dash + 1)),
          System.in,
          out);
      return 0;
    }
  }

  private SsdBenchOptions options() {
    return new SsdBenchOptions(
        command.files(),
        Optional.ofNullable(command.size()).map(ByteSize::bytes).orElse(SIZE_BYTES),
        command.pageSizes().stream().map(ByteSize::bytes).toList(),
        command.engines(),
        command.variants().isEmpty()
            ? List.of(SsdVariant.PLAIN)
            : command.variants().stream().map(SsdVariant::parse).toList(),
        command.loads().stream().map(SsdBenchRow.Load::of).collect(Collectors.toSet()),
        Optional.ofNullable(command.rounds()).orElse(1),
        duration("--seconds", Optional.ofNullable(command.seconds()).orElse(SECONDS)),
        duration("--warm-up", command.warmUp()),
        command.depth(),
        command.memory().bytes(),
        command.writeShare(),
        isDirect(),
        command.overwrite(),
        command.keep(),
        command.seed(),
        command.fio(),
        command.operations());
  }

  private boolean isDirect() {
    return switch (command.direct()) {
      case "on" -> true;
      case "off" -> false;
      default ->
          throw CommandException.usage("--direct [" + command.direct() + "] is neither on nor off");
    };
  }

  private static Duration duration(String flag, double seconds) {
    if (!(seconds >= 0) || seconds > Duration.ofDays(1).toSeconds()) {
      throw CommandException.usage(
          flag + " [" + seconds + "] is not a number of seconds up to a day");
    }
    return Duration.ofNanos(Math.round(seconds * NANOS_A_SECOND));
  }

  private <T> T withProgress(Supplier<String> text, Work<T> work)
      throws IOException, InterruptedException, ManagerStartException {
    if (command.json() || command.quiet() || !ProgressLine.possible()) {
      return work.run();
    }
    try (ProgressLine _ = ProgressLine.start(err, text)) {
      return work.run();
    }
  }

  @FunctionalInterface
  private interface Work<T> {
    T run() throws IOException, InterruptedException, ManagerStartException;
  }
}
