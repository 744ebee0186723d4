package io.orbitkv.testkit.policy;

import io.orbitkv.model.ModelTrace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Traces for {@link PolicyTester#onTrace}: made up from a seed, or read from a file. */
public final class TestTraces {
  /** Tokens of a page of these traces, which is a block of the file format. */
  public static final int PAGE_TOKENS = 512;

  private static final int MOST_REQUESTS = 1_000_000;
  private static final int MOST_PAGES = 64;
  private static final int COMMON_PROMPTS = 8;
  private static final int COMMON_PAGES = 2;
  private static final double MORE_TURNS = 0.75;
  private static final double SECONDS_BETWEEN_STARTS = 1;
  private static final double THINK_SECONDS = 20;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private static final Pattern TIMESTAMP = number("timestamp");
  private static final Pattern INPUT = number("input_length");
  private static final Pattern OUTPUT = number("output_length");
  private static final Pattern IDS = Pattern.compile("\"hash_ids\"\\s*:\\s*\\[([^\\]]*)]");

  private TestTraces() {}

  /**
   * Conversations of four turns on average, twenty seconds apart, that begin with one of eight
   * common prompts; a new one begins each second. The same seed gives the same trace everywhere.
   *
   * @param requests 1 to 1,000,000
   */
  public static ModelTrace conversations(int requests, long seed) {
    if (requests < 1 || requests > MOST_REQUESTS) {
      throw new IllegalArgumentException(
          "a trace of [" + requests + "] requests: must be 1 to 1,000,000");
    }
    SplittableRandom random = new SplittableRandom(seed);
    PriorityQueue<Turn> due =
        new PriorityQueue<>(Comparator.comparingLong(Turn::atNanos).thenComparingLong(Turn::order));
    ModelTrace.Builder trace = new ModelTrace.Builder("conversations, seed " + seed, PAGE_TOKENS);
    long order = 0;
    long block = COMMON_PROMPTS * COMMON_PAGES;
    due.add(new Turn(0, order++, new ArrayList<>()));
    for (int r = 0; r < requests; r++) {
      Turn turn = due.remove();
      List<Long> blocks = turn.blocks();
      if (blocks.isEmpty()) {
        // A conversation that begins schedules the one after it.
        long next = turn.atNanos() + nanos(exponential(random, SECONDS_BETWEEN_STARTS));
        due.add(new Turn(next, order++, new ArrayList<>()));
        long common = random.nextInt(COMMON_PROMPTS);
        for (int i = 0; i < COMMON_PAGES; i++) {
          blocks.add(common * COMMON_PAGES + i);
        }
      }
      int grows = 1 + random.nextInt(4);
      for (int i = 0; i < grows; i++) {
        blocks.add(block++);
      }
      trace.add(
          turn.atNanos(),
          blocks.size() * PAGE_TOKENS,
          PAGE_TOKENS / 2,
          chained(blocks, blocks.size()));
      if (blocks.size() < MOST_PAGES && random.nextDouble() < MORE_TURNS) {
        long next = turn.atNanos() + nanos(exponential(random, THINK_SECONDS));
        due.add(new Turn(next, order++, blocks));
      }
    }
    return trace.build();
  }

  /**
   * Reads a trace of the Mooncake format: one JSON object a line with {@code timestamp}
   * (milliseconds), {@code input_length}, {@code output_length} and {@code hash_ids} of 512 tokens
   * each. {@code orbitkv trace generate --out FILE} writes such files.
   *
   * @throws IllegalArgumentException naming file, line and field when it is no such trace
   * @throws UncheckedIOException when the file cannot be read
   */
  public static ModelTrace read(Path file) {
    ModelTrace.Builder trace = new ModelTrace.Builder(file.toString(), PAGE_TOKENS);
    int number = 0;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (number > MOST_REQUESTS) {
          throw new IllegalArgumentException("there are more than 1,000,000 requests");
        }
        List<Long> ids = ids(line);
        trace.add(
            Math.round(value(TIMESTAMP, "timestamp", line) * NANOS_PER_MILLI),
            (int) value(INPUT, "input_length", line),
            (int) value(OUTPUT, "output_length", line),
            chained(ids, ids.size()));
      }
      return trace.build();
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "trace [" + file + "] line " + number + ": " + wrong.getMessage(), wrong);
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "trace [" + file + "] cannot be read: " + failed.getMessage(), failed);
    }
  }

  private record Turn(long atNanos, long order, List<Long> blocks) {}

  private static Pattern number(String field) {
    return Pattern.compile("\"" + field + "\"\\s*:\\s*([0-9]{1,12}(?:\\.[0-9]{1,9})?)");
  }

  private static double value(Pattern pattern, String field, String line) {
    Matcher matcher = pattern.matcher(line);
    if (!matcher.find()) {
      throw new IllegalArgumentException("field [" + field + "] is missing or no number");
    }
    return Double.parseDouble(matcher.group(1));
  }

  private static List<Long> ids(String line) {
    Matcher matcher = IDS.matcher(line);
    if (!matcher.find()) {
      throw new IllegalArgumentException("field [hash_ids] is missing or no list");
    }
    List<Long> ids = new ArrayList<>();
    for (String each : matcher.group(1).split(",", -1)) {
      if (!each.isBlank()) {
        try {
          ids.add(Long.valueOf(each.strip()));
        } catch (NumberFormatException wrong) {
          throw new IllegalArgumentException(
              "field [hash_ids] holds [" + each.strip() + "]: must be whole numbers", wrong);
        }
      }
    }
    return ids;
  }

  /** Identities that tell the whole prompt up to a page, as the model wants them. */
  private static long[] chained(List<Long> blocks, int count) {
    long[] ids = new long[count];
    long chain = 0;
    for (int i = 0; i < count; i++) {
      chain = mix(chain + mix(blocks.get(i) * STEP + 1));
      ids[i] = chain;
    }
    return ids;
  }

  private static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }

  private static double exponential(SplittableRandom random, double mean) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * NANOS_PER_SECOND);
  }
}
