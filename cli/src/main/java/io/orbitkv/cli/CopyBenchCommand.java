package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.cuda.CudaUnavailableException;
import io.orbitkv.workload.copy.CopyBench;
import io.orbitkv.workload.copy.CopyBenchOptions;
import io.orbitkv.workload.copy.CopyBenchResult;
import io.orbitkv.workload.copy.GpuChild;
import io.orbitkv.workload.process.OwnChild;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "copy",
    description = {
      "Measure copies between pinned host memory and the memory of a GPU that another process"
          + " allocated, through the copier cuda-copy: throughput by size of fragment, each way"
          + " and both at once, beside one large pinned copy in the same seconds; the time of a"
          + " single page of 9 MiB; and how soon host memory is pinned. At the end the other"
          + " process compares what arrived.",
      "",
      "Needs an NVIDIA GPU and its driver, no toolkit."
    },
    footer = {
      "",
      "Exit status 1 when a byte is wrong or the GPU cannot be used.",
      "",
      "Examples:",
      "  orbitkv bench copy",
      "  orbitkv bench copy --pool-size 16gb --rounds 5 --json",
      "  orbitkv bench copy --fragment-sizes 16kb,64kb --set call-fragments=256"
    })
final class CopyBenchCommand extends BaseCommand implements Callable<Integer> {
  private static final double NANOS_A_SECOND = 1e9;

  @Option(
      names = "--fragment-sizes",
      paramLabel = "SIZE",
      order = 1,
      split = ",",
      converter = SizeConverter.class,
      defaultValue = "4kb,8kb,16kb,32kb,64kb,128kb,256kb,1mb,9mb",
      description = "Sizes of fragments. Default: ${DEFAULT-VALUE}.")
  private List<ByteSize> fragmentSizes = List.of();

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      order = 2,
      converter = SizeConverter.class,
      defaultValue = "4gb",
      description = "Host memory to pin. Default: ${DEFAULT-VALUE}.")
  private ByteSize poolSize = new ByteSize(0);

  @Option(
      names = "--device-size",
      paramLabel = "SIZE",
      order = 3,
      converter = SizeConverter.class,
      defaultValue = "4gb",
      description =
          "Memory of the GPU that the other process allocates. Default: ${DEFAULT-VALUE}.")
  private ByteSize deviceSize = new ByteSize(0);

  @Option(
      names = "--gpu",
      paramLabel = "N",
      order = 4,
      defaultValue = "0",
      description = "The GPU's place among those that the driver sees. Default: ${DEFAULT-VALUE}.")
  private int gpu;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      order = 5,
      defaultValue = "3",
      description = "Rounds, of which medians are told. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      order = 6,
      defaultValue = "0.5",
      description = "Time of each measurement. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--pages",
      paramLabel = "N",
      order = 7,
      defaultValue = "1000",
      description = "Single pages whose time is taken. Default: ${DEFAULT-VALUE}.")
  private int pages;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      order = 8,
      description = "A setting of the copier; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 9,
      defaultValue = "1",
      description = "Seed of what is random. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--placement",
      paramLabel = "HOW",
      order = 10,
      defaultValue = "shuffled",
      description =
          "How pages and layers lie: shuffled (pages anywhere, layers at equal distances), uneven"
              + " (layers at unequal ones, as if each had an allocation of its own), or consecutive"
              + " (uneven, but the pages of a plan one after another). Default: ${DEFAULT-VALUE}.")
  private CopyBenchOptions.Placement placement = CopyBenchOptions.Placement.SHUFFLED;

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  // Given to the process that owns the GPU memory: its bytes.
  @Option(names = "--child", paramLabel = "BYTES", hidden = true)
  private @Nullable Long child;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try {
      Long bytes = child;
      if (bytes != null) {
        GpuChild.run(gpu, bytes, System.in, out());
        return 0;
      }
      return measure();
    } catch (CudaUnavailableException missing) {
      throw CommandException.failure("not available: " + missing.getMessage(), missing);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    } catch (IllegalStateException refused) {
      throw CommandException.failure(String.valueOf(refused.getMessage()), refused);
    }
  }

  private int measure() throws IOException, InterruptedException, CudaUnavailableException {
    CopyBenchOptions options =
        new CopyBenchOptions(
            fragmentSizes.stream().map(ByteSize::bytes).toList(),
            poolSize.bytes(),
            deviceSize.bytes(),
            rounds,
            duration(),
            pages,
            gpu,
            seed,
            placement);
    try (CopyPlugins plugins = CopyPlugins.load(settings)) {
      CopyBench bench = new CopyBench(options, plugins, CopyBenchCommand::startChild);
      CopyBenchResult result;
      if (json.json() || quiet || !ProgressLine.possible()) {
        result = bench.run();
      } else {
        try (ProgressLine _ = ProgressLine.start(err(), bench::progress)) {
          result = bench.run();
        }
      }
      out().print(json.json() ? result.json() + "\n" : result.table());
      if (!result.sound()) {
        err()
            .println(
                Main.program() + ": not sound: " + result.wrongFragments() + " wrong fragments");
        return Errors.FAILURE;
      }
      return 0;
    }
  }

  private Duration duration() {
    if (!(seconds > 0) || seconds > Duration.ofHours(1).toSeconds()) {
      throw CommandException.usage(
          "--seconds [" + seconds + "] is not a number of seconds up to an hour");
    }
    return Duration.ofNanos(Math.round(seconds * NANOS_A_SECOND));
  }

  private static OwnChild startChild(int gpu, long bytes) throws IOException {
    return OwnChild.start(
        List.of("bench", "copy", "--child", Long.toString(bytes), "--gpu", Integer.toString(gpu)));
  }
}
