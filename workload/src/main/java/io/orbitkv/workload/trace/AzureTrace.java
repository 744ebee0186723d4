package io.orbitkv.workload.trace;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a trace of the Azure format: CSV with the heading {@code
 * TIMESTAMP,ContextTokens,GeneratedTokens}, which has arrivals and lengths and says nothing about
 * content. Who continues whom is made up by a {@link ReuseModel}, the same way for the same seed.
 *
 * <p>Strict and streaming as {@link MooncakeTrace}.
 */
public final class AzureTrace implements TraceSource {
  private static final String HEADING = "TIMESTAMP,ContextTokens,GeneratedTokens";

  private final Path file;
  private final long seed;
  private final TraceLines lines;
  private final ReuseModel reuse;
  private @Nullable LocalDateTime start;
  private long lastArrivalNanos;
  private long index;

  private AzureTrace(Path file, long seed) {
    this.file = file;
    this.seed = seed;
    lines = TraceLines.open(file);
    reuse = new ReuseModel(seed);
    if (!lines.next() || !lines.text().strip().equals(HEADING)) {
      TraceException problem =
          lines.at("the heading is [" + lines.text().strip() + "]: must be " + HEADING, null);
      lines.close();
      throw problem;
    }
  }

  /**
   * Opens a trace.
   *
   * @param seed of what the trace does not say
   * @throws TraceException when the file is missing, a folder, empty, not readable or has another
   *     heading
   */
  public static AzureTrace open(Path file, long seed) {
    return new AzureTrace(file, seed);
  }

  @Override
  public String name() {
    return file + " (reuse made up, seed " + seed + ")";
  }

  @Override
  public String identity() {
    return "azure " + file.getFileName() + " seed " + seed;
  }

  @Override
  public @Nullable TraceRequest next() {
    if (!lines.next()) {
      return null;
    }
    try {
      return parse(lines.text().strip().split(",", -1));
    } catch (DateTimeParseException | NumberFormatException malformed) {
      throw lines.at("not a row of " + HEADING + ": " + malformed.getMessage(), malformed);
    } catch (IllegalArgumentException unfit) {
      throw lines.at(String.valueOf(unfit.getMessage()), unfit);
    }
  }

  private TraceRequest parse(String[] cells) {
    if (cells.length != 3) {
      throw new IllegalArgumentException(
          "the row has [" + cells.length + "] cells: must be " + HEADING);
    }
    LocalDateTime at = LocalDateTime.parse(cells[0].replace(' ', 'T'));
    LocalDateTime first = start == null ? at : start;
    start = first;
    long arrivalNanos = Duration.between(first, at).toNanos();
    if (arrivalNanos < lastArrivalNanos || arrivalNanos > TraceLimits.MAX_NANOS) {
      throw new IllegalArgumentException(
          "field [TIMESTAMP] is ["
              + cells[0]
              + "]: must not be before the line above, nor 100 days after the first");
    }
    int inputTokens = tokens("ContextTokens", cells[1], 1);
    int outputTokens = tokens("GeneratedTokens", cells[2], 0);
    lastArrivalNanos = arrivalNanos;
    return new TraceRequest(
        index++,
        arrivalNanos,
        inputTokens,
        outputTokens,
        reuse.blocks(arrivalNanos, inputTokens, outputTokens),
        ReuseModel.BLOCK_TOKENS);
  }

  private static int tokens(String field, String cell, int least) {
    int tokens = Integer.parseInt(cell);
    if (tokens < least || tokens > TraceRequest.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "field ["
              + field
              + "] is ["
              + cell
              + "]: must be "
              + least
              + " to "
              + TraceRequest.MAX_TOKENS);
    }
    return tokens;
  }

  @Override
  public void close() {
    lines.close();
  }
}
