package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.trace.EnginePace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The modelled engine. */
final class EngineFlags {
  /** Requests at one time, unless others are asked for. */
  static final int CONCURRENCY = 4;

  @Option(
      names = "--bytes-per-token",
      paramLabel = "N",
      order = 30,
      defaultValue = "1024",
      description =
          "Bytes of a token over all layers (Qwen3-8B in BF16: 147456). Default: ${DEFAULT-VALUE}.")
  private int bytesPerToken;

  @Option(
      names = "--page-tokens",
      paramLabel = "N",
      order = 31,
      defaultValue = "64",
      description = "Tokens in a page; divides 512. Default: ${DEFAULT-VALUE}.")
  private int pageTokens;

  @Option(
      names = "--layers",
      paramLabel = "N",
      order = 32,
      defaultValue = "4",
      description =
          "Layers, each with K and V apart; a page is two fragments a layer. Default:"
              + " ${DEFAULT-VALUE}.")
  private int layers;

  @Option(
      names = "--hbm-size",
      paramLabel = "SIZE",
      order = 33,
      converter = SizeConverter.class,
      description =
          "Device memory of the engine. Default: an eighth of the pool, at least room for 16384"
              + " tokens, at most 1gb.")
  private @Nullable ByteSize deviceSize;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      order = 34,
      description = "Requests in the engine at one time. Default: 4.")
  private @Nullable Integer concurrency;

  @Option(
      names = "--compute-rate",
      paramLabel = "TOKENS",
      order = 34,
      defaultValue = "0",
      description =
          "Tokens of prompts that the engine computes a second, one prompt after another, in real"
              + " time; 0 computes in no time. Default: ${DEFAULT-VALUE}.")
  private double computeRate;

  @Option(
      names = "--output-rate",
      paramLabel = "TOKENS",
      order = 34,
      defaultValue = "0",
      description =
          "Tokens of output that each request gets a second; 0 is no time. Default:"
              + " ${DEFAULT-VALUE}.")
  private double outputRate;

  @Option(
      names = "--report-queue",
      order = 34,
      description =
          "Tell the Manager of requests that wait to be scheduled, for policies that prepare or"
              + " warm.")
  private boolean reportQueue;

  int bytesPerToken() {
    return bytesPerToken;
  }

  int pageTokens() {
    return pageTokens;
  }

  int layers() {
    return layers;
  }

  @Nullable ByteSize deviceSize() {
    return deviceSize;
  }

  /**
   * How fast the engine computes.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  EnginePace pace() {
    return new EnginePace(computeRate, outputRate, reportQueue);
  }

  int concurrency() {
    return concurrencyOr(CONCURRENCY);
  }

  /** Requests at one time as given, or so many. */
  int concurrencyOr(int byDefault) {
    @Nullable Integer given = concurrency;
    return given != null ? given : byDefault;
  }
}
