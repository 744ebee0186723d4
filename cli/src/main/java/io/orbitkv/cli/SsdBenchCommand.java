package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "ssd",
    description = {
      "Measure the SSD tier of this installation, whole: from the submission over store, device and"
          + " checksum to the report. For each size of pages and each engine: writes alone, reads"
          + " alone in random order, both at once, and reads at half their rate without and with"
          + " writes at their guaranteed share. --fio has fio do the same in turns, on the same"
          + " file with the same block size and depth.",
      "",
      "With --kill-loop, kill a Manager of its own under load again and again, and check what it"
          + " knows afterwards. With --startup, measure how long a store takes to open after a"
          + " clean stop and after a kill."
    },
    footer = {
      "",
      "Exit status 1 when a byte is wrong, or a page is found that was never published.",
      "",
      "Examples:",
      "  orbitkv bench ssd --file /mnt/nvme/bench --size 4gb",
      "  orbitkv bench ssd --file /mnt/nvme/bench --size 4gb --fio --rounds 5 --json",
      "  orbitkv bench ssd --file /mnt/nvme0/bench --file /mnt/nvme1/bench --size 4gb",
      "  orbitkv bench ssd --kill-loop 20 --file /mnt/nvme/bench --size 1gb --json",
      "  orbitkv bench ssd --startup 1000000 --file /mnt/nvme/bench --json"
    })
final class SsdBenchCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--file",
      paramLabel = "FILE",
      order = 1,
      required = true,
      description =
          "File that is made for the store and removed at the end, or a block device. Several, by"
              + " repeating it: the tier on each alone and on all together.")
  private List<Path> files = List.of();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      order = 2,
      converter = SizeConverter.class,
      description =
          "Size of the store, in each file. Default: 4gb; with --kill-loop 1gb, with --startup what"
              + " the pages need.")
  private @Nullable ByteSize size;

  @Option(
      names = "--page-sizes",
      paramLabel = "SIZE",
      order = 3,
      split = ",",
      converter = SizeConverter.class,
      defaultValue = "128kb,256kb,1mb,2mb,4mb,9mb",
      description = "Sizes of pages. Default: ${DEFAULT-VALUE}.")
  private List<ByteSize> pageSizes = List.of();

  @Option(
      names = "--engines",
      paramLabel = "ENGINE",
      order = 4,
      split = ",",
      defaultValue = "io-uring,threads",
      description = "Engines of the tier. Default: ${DEFAULT-VALUE}.")
  private List<String> engines = List.of();

  @Option(
      names = "--fio",
      paramLabel = "PATH",
      order = 5,
      arity = "0..1",
      fallbackValue = "fio",
      description = "Compare with fio, which is looked for unless it is named with --fio=PATH.")
  private @Nullable String fio;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      order = 6,
      description = "Rounds, of which medians are told. Default: 1; with --startup 3.")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      order = 7,
      description =
          "Time of each measurement; with --kill-loop, most time until a kill. Default: 3.")
  private @Nullable Double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      order = 8,
      defaultValue = "0.5",
      description = "Start of each measurement that does not count. Default: ${DEFAULT-VALUE}.")
  private double warmUp;

  @Option(
      names = "--depth",
      paramLabel = "N",
      order = 9,
      defaultValue = "32",
      description = "Reads, and writes, at a time. Default: ${DEFAULT-VALUE}.")
  private int depth;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      order = 10,
      converter = SizeConverter.class,
      defaultValue = "640mb",
      description = "Memory for pages, at most 1gb. Default: ${DEFAULT-VALUE}.")
  private ByteSize memory = new ByteSize(0);

  @Option(
      names = "--write-share",
      paramLabel = "PERCENT",
      order = 11,
      defaultValue = "20",
      description =
          "Share of the bytes that competing writes have and the tier guarantees. Default:"
              + " ${DEFAULT-VALUE}.")
  private int writeShare;

  @Option(
      names = "--direct",
      paramLabel = "on|off",
      order = 12,
      defaultValue = "on",
      description = "Past the page cache, or through it. Default: ${DEFAULT-VALUE}.")
  private String direct = "on";

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      order = 13,
      description = "A setting of the tier; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--variant",
      paramLabel = "NAME:KEY=VALUE,...",
      order = 13,
      description =
          "The tier with these settings, measured beside the others in turns; may be repeated. NAME"
              + " alone is the tier as it is.")
  private List<String> variants = List.of();

  @Option(
      names = "--loads",
      paramLabel = "LOAD",
      order = 13,
      split = ",",
      defaultValue = "full,half,half-drained",
      description = "Loads to measure. Default: ${DEFAULT-VALUE}.")
  private List<String> loads = List.of();

  @Option(
      names = "--ops-out",
      paramLabel = "FILE",
      order = 13,
      description =
          "Write a line for every operation: when it was due, offered and reported. With --set"
              + " request-log=FILE the tier does so for its requests to the device.")
  private @Nullable Path operations;

  @Option(
      names = "--overwrite",
      order = 14,
      description = "Overwrite a file or device that is there; everything in it is lost.")
  private boolean overwrite;

  @Option(names = "--keep", order = 15, description = "Leave the file there.")
  private boolean keep;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 16,
      defaultValue = "1",
      description = "Seed of what is random. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--kill-loop",
      paramLabel = "N",
      order = 20,
      description = "Kill a Manager N times under load and check it.")
  private @Nullable Integer kills;

  @Option(
      names = "--startup",
      paramLabel = "PAGES",
      order = 21,
      description = "Measure starts with so many small pages stored.")
  private @Nullable Integer startupPages;

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  // Given by --startup to processes of its own.
  @Option(names = "--child", paramLabel = "FROM-TO", hidden = true)
  private @Nullable String child;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return new SsdBenchmarks(this, out(), err()).run();
  }

  /** The only one, or the first. */
  Path file() {
    return files.getFirst();
  }

  List<Path> files() {
    return files;
  }

  @Nullable ByteSize size() {
    return size;
  }

  List<ByteSize> pageSizes() {
    return pageSizes;
  }

  List<String> engines() {
    return engines;
  }

  @Nullable String fio() {
    return fio;
  }

  @Nullable Integer rounds() {
    return rounds;
  }

  @Nullable Double seconds() {
    return seconds;
  }

  double warmUp() {
    return warmUp;
  }

  int depth() {
    return depth;
  }

  ByteSize memory() {
    return memory;
  }

  int writeShare() {
    return writeShare;
  }

  String direct() {
    return direct;
  }

  Map<String, String> settings() {
    return settings;
  }

  List<String> variants() {
    return variants;
  }

  List<String> loads() {
    return loads;
  }

  @Nullable Path operations() {
    return operations;
  }

  boolean overwrite() {
    return overwrite;
  }

  boolean keep() {
    return keep;
  }

  long seed() {
    return seed;
  }

  @Nullable Integer kills() {
    return kills;
  }

  @Nullable Integer startupPages() {
    return startupPages;
  }

  boolean quiet() {
    return quiet;
  }

  @Nullable String child() {
    return child;
  }

  boolean json() {
    return json.json();
  }
}
