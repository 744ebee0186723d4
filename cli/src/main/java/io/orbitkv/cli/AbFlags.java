package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.ab.live.StartState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What an experiment compares, and over what. */
final class AbFlags {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      order = 1,
      description = "Configuration with a section ab: variants are patches on its policies.")
  @Nullable Path config;

  @Option(
      names = "--a",
      paramLabel = "FILE",
      order = 2,
      description = "Whole configuration of variant A, with --b instead of --config.")
  @Nullable Path a;

  @Option(
      names = "--b",
      paramLabel = "FILE",
      order = 3,
      description = "Whole configuration of variant B.")
  @Nullable Path b;

  @Option(
      names = "--allow",
      paramLabel = "KEY",
      order = 4,
      description =
          "Key outside policies in which --a and --b may differ, such as query.budget; may be"
              + " repeated.")
  List<String> allow = new ArrayList<>();

  @Option(
      names = "--plugin",
      paramLabel = "ZIP",
      order = 5,
      description = "Plugin that is loaded beside those of the installation; may be repeated.")
  List<Path> plugins = new ArrayList<>();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      order = 6,
      description = "Trace that both variants meet.")
  @Nullable Path trace;

  @Option(
      names = "--generate",
      order = 7,
      description = "A generated trace of conversations instead of a file.")
  boolean generate;

  @Option(
      names = "--requests",
      paramLabel = "N",
      order = 8,
      description = "Requests of each run. Default: the whole file, or 1000 generated ones.")
  @Nullable Integer requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 9,
      description =
          "Seed of the generated trace, of the order of runs and of resamples. Default: 1.")
  long seed = 1;

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      order = 11,
      description = "Host memory for pages of both variants, instead of the configurations'.")
  @Nullable String poolSize;

  @Option(
      names = {"--ssd-cache-path", "--ssd-path"},
      paramLabel = "PATH",
      order = 12,
      description =
          "SSD tier of both; the runs use a file of their own beside it. May be repeated.")
  List<String> ssdPaths = new ArrayList<>();

  @Option(
      names = {"--ssd-cache-capacity", "--ssd-size"},
      paramLabel = "SIZE",
      order = 13,
      description = "Capacity of the SSD tier of both.")
  @Nullable String ssdSize;

  @Option(
      names = "--simulate",
      order = 20,
      description = "On a model of the cache instead of a Manager: a whole trace in seconds.")
  boolean simulate;

  @Option(
      names = "--start",
      paramLabel = "cold|warm",
      order = 21,
      description =
          "What each run finds: nothing, or what an untimed beginning of the trace left under its"
              + " own variant. Default: cold.")
  StartState start = StartState.COLD;

  @Option(
      names = "--warm-requests",
      paramLabel = "N",
      order = 22,
      description = "Untimed requests of a warm start. Default: a quarter of the requests.")
  @Nullable Long warmRequests;

  @Option(
      names = "--prefill-rate",
      paramLabel = "N",
      order = 23,
      defaultValue = "40000",
      description = "Tokens a second that the modelled engine computes. Default: ${DEFAULT-VALUE}.")
  double prefillRate;

  @Option(
      names = "--ssd-read-rate",
      paramLabel = "SIZE",
      order = 24,
      defaultValue = "1430mb",
      converter = SizeConverter.class,
      description =
          "With --simulate: bytes that the SSD reads in a second. Default: ${DEFAULT-VALUE}.")
  ByteSize ssdReadRate = new ByteSize(1);

  @Option(
      names = "--ssd-write-rate",
      paramLabel = "SIZE",
      order = 25,
      defaultValue = "1430mb",
      converter = SizeConverter.class,
      description = "The same, written. Default: ${DEFAULT-VALUE}.")
  ByteSize ssdWriteRate = new ByteSize(1);

  @Option(
      names = "--link-rate",
      paramLabel = "SIZE",
      order = 26,
      defaultValue = "51gb",
      converter = SizeConverter.class,
      description = "The same, between host memory and the device. Default: ${DEFAULT-VALUE}.")
  ByteSize linkRate = new ByteSize(1);

  @Mixin EngineFlags engine = new EngineFlags();

  @Option(
      names = "--speed",
      paramLabel = "X",
      order = 36,
      description =
          "Requests arrive at their timestamps, X times as fast. Default: as soon as there is"
              + " room.")
  @Nullable Double speed;

  @Option(
      names = "--primary",
      paramLabel = "MEASURE",
      order = 40,
      description =
          "Measure that decides, instead of the configuration's. Default: ttft.mean, or"
              + " prefix_hit_ratio with --simulate.")
  @Nullable String primary;

  @Option(
      names = "--margin",
      paramLabel = "PERCENT",
      order = 41,
      description = "Relative change that means nothing to anybody. Default: 2%%.")
  @Nullable String margin;

  @Option(
      names = "--guard",
      paramLabel = "MEASURE=PERCENT",
      order = 42,
      description =
          "Measure that must not get worse than this, such as ttft.p95=+2%%; may be repeated.")
  List<String> guards = new ArrayList<>();

  @Option(
      names = "--isolation",
      paramLabel = "partition",
      order = 43,
      description =
          "With --simulate: each variant meets its own conversations on its share of the capacity,"
              + " as on live traffic. Default: as ab.assign says, or each alone with everything.")
  @Nullable String isolation;

  @Option(
      names = "--salt",
      paramLabel = "N",
      order = 44,
      description = "Another salt, another split of the conversations. Default: 0.")
  @Nullable Long salt;

  @Option(names = "--quiet", order = 62, description = "No progress.")
  boolean quiet;
}
