package io.orbitkv.workload.ssd;

import io.orbitkv.api.memory.HostChunk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is measured.
 *
 * @param files made for it, or ones that may be overwritten; several are measured each alone and
 *     together
 * @param bytes of each file
 * @param pageBytes sizes of pages, in order
 * @param engines of the tier, in order
 * @param variants of each engine, in order
 * @param loads that are measured
 * @param rounds of which medians are told
 * @param time of each phase
 * @param ramp of each phase, which does not count
 * @param depth most reads, and most writes, at a time
 * @param memoryBytes for pages
 * @param writeSharePercent share of the bytes that competing writes have
 * @param direct whether the page cache is passed by
 * @param overwrite whether a file that is there may be overwritten
 * @param keep whether the file stays
 * @param seed of the order of reads
 * @param fio the program to compare with; null for none
 * @param operations file that gets a line for every operation; null for none
 */
public record SsdBenchOptions(
    List<Path> files,
    long bytes,
    List<Long> pageBytes,
    List<String> engines,
    List<SsdVariant> variants,
    Set<SsdBenchRow.Load> loads,
    int rounds,
    Duration time,
    Duration ramp,
    int depth,
    long memoryBytes,
    int writeSharePercent,
    boolean direct,
    boolean overwrite,
    boolean keep,
    long seed,
    @Nullable String fio,
    @Nullable Path operations) {
  private static final long MEBIBYTE = 1L << 20;
  private static final long LEAST_BYTES = 64 * MEBIBYTE;

  /** A store must hold so many pages for reads in random order to mean something. */
  private static final int LEAST_PAGES = 64;

  private static final int MOST_FILES = 16;
  private static final int MOST_DEPTH = 1024;
  private static final int MOST_SHARE_PERCENT = 90;

  /**
   * Checks what can be checked without the file.
   *
   * @throws IllegalArgumentException naming the value that does not fit
   */
  public SsdBenchOptions {
    files = files.stream().map(Path::toAbsolutePath).map(Path::normalize).toList();
    pageBytes = List.copyOf(pageBytes);
    engines = List.copyOf(engines);
    variants = List.copyOf(variants);
    loads = Set.copyOf(loads);
    require(
        !files.isEmpty() && files.size() <= MOST_FILES,
        "[" + files.size() + "] --file: name between 1 and " + MOST_FILES);
    require(
        files.stream().distinct().count() == files.size(), "--file names one file twice: " + files);
    require(
        fio == null || files.size() == 1,
        "--fio is compared on one file: run it with each --file alone");
    require(bytes >= LEAST_BYTES, "--size [" + bytes + "] is less than 64mb");
    require(bytes % MEBIBYTE == 0, "--size [" + bytes + "] is not a multiple of 1mb: round it");
    require(!pageBytes.isEmpty(), "--page-sizes names no size");
    require(!engines.isEmpty(), "--engines names no engine");
    require(!variants.isEmpty(), "there is no variant");
    require(
        variants.stream().map(SsdVariant::name).distinct().count() == variants.size(),
        "two --variant have one name");
    require(!loads.isEmpty(), "--loads names no load");
    require(rounds >= 1, "--rounds [" + rounds + "] must be positive");
    require(!time.isZero() && !time.isNegative(), "--seconds must be positive");
    require(!ramp.isNegative(), "--warm-up must not be negative");
    require(depth >= 1 && depth <= MOST_DEPTH, "--depth [" + depth + "] is not between 1 and 1024");
    require(
        writeSharePercent >= 1 && writeSharePercent <= MOST_SHARE_PERCENT,
        "--write-share [" + writeSharePercent + "] is not between 1 and 90 percent");
    require(
        memoryBytes <= HostChunk.MAX_BYTES,
        "--memory [" + memoryBytes + "] is more than one chunk of memory, 1gb");
    for (long page : pageBytes) {
      require(
          page >= PageBytes.BLOCK_BYTES && page % PageBytes.BLOCK_BYTES == 0,
          "--page-sizes [" + page + "] is not a positive multiple of 4kb");
      require(
          page <= bytes / LEAST_PAGES,
          "--page-sizes ["
              + page
              + "]: a store of ["
              + bytes
              + "] bytes would hold fewer than 64 of them: raise --size");
      require(
          2L * depth * page <= memoryBytes,
          "--memory ["
              + memoryBytes
              + "] does not hold "
              + depth
              + " reads and "
              + depth
              + " writes of pages of ["
              + page
              + "] bytes: raise --memory, or lower --depth");
    }
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Pages of one size that the store is to hold at least while it is read. */
  long pagesToRead(long page) {
    return bytes / 2 / page;
  }
}
