package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Configuration file and flags of a Manager, as texts: they are read where files are read, with the
 * same errors.
 */
final class ManagerFlags {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      order = 10,
      description = "Configuration file. Flags override it. Default: none, all defaults.")
  private @Nullable Path config;

  @Option(
      names = "--pool-size",
      paramLabel = "SIZE",
      order = 11,
      description = "Host memory for pages, such as 4gb.")
  private @Nullable String poolSize;

  @Option(
      names = {"--ssd-cache-path", "--ssd-path"},
      paramLabel = "PATH",
      order = 12,
      description = "File or block device of the SSD tier; may be repeated.")
  private List<String> ssdCachePaths = new ArrayList<>();

  @Option(
      names = {"--ssd-cache-capacity", "--ssd-size"},
      paramLabel = "SIZE",
      order = 13,
      description = "Capacity of the SSD tier over all paths.")
  private @Nullable String ssdCacheCapacity;

  @Option(
      names = "--query-budget",
      paramLabel = "SIZE",
      order = 14,
      description =
          "Most bytes that queries may hold at one time; a size or a share of the pool such as"
              + " 75%%.")
  private @Nullable String queryBudget;

  @Option(
      names = "--query-instance-budget",
      paramLabel = "SIZE",
      order = 15,
      description = "The same for one engine instance.")
  private @Nullable String queryInstanceBudget;

  @Option(
      names = "--query-read-batch",
      paramLabel = "SIZE",
      order = 16,
      description = "Bytes of one read from a backing tier; 0 reads a query at once.")
  private @Nullable String queryReadBatch;

  @Option(
      names = "--query-read-max-batches",
      paramLabel = "N",
      order = 17,
      description = "Most reads of one query; 0 is unlimited.")
  private @Nullable String queryReadMaxBatches;

  @Option(
      names = "--query-read-timeout-ms",
      paramLabel = "MS",
      order = 18,
      description = "Time that a query may wait for reads; 0 is unlimited.")
  private @Nullable String queryReadTimeoutMillis;

  @Nullable Path config() {
    return config;
  }

  @Nullable String poolSize() {
    return poolSize;
  }

  /** The flags that were given, with their values. */
  Map<String, List<String>> given() {
    Map<String, List<String>> given = new LinkedHashMap<>();
    put(given, "--pool-size", poolSize);
    if (!ssdCachePaths.isEmpty()) {
      given.put("--ssd-cache-path", List.copyOf(ssdCachePaths));
    }
    put(given, "--ssd-cache-capacity", ssdCacheCapacity);
    put(given, "--query-budget", queryBudget);
    put(given, "--query-instance-budget", queryInstanceBudget);
    put(given, "--query-read-batch", queryReadBatch);
    put(given, "--query-read-max-batches", queryReadMaxBatches);
    put(given, "--query-read-timeout-ms", queryReadTimeoutMillis);
    return given;
  }

  /** The same as arguments of {@code serve}, file included. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (config != null) {
      arguments.add("--config");
      arguments.add(config.toString());
    }
    given()
        .forEach((flag, values) ->
            values.forEach(value -> {
              arguments.add(flag);
              arguments.add(value);
            }));
    return arguments;
  }

  private static void put(Map<String, List<String>> given, String flag, @Nullable String value) {
    if (value != null) {
      given.put(flag, List.of(value));
    }
  }
}
