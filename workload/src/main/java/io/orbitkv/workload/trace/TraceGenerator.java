package io.orbitkv.workload.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes conversation-like traces. Conversations start as a Poisson process; each begins with a
 * system prompt that it shares with others (Zipf), and each turn's prompt is the whole conversation
 * so far, so that it extends the prompt before it. As in published traces the last, partial block
 * of a prompt has an id of its own: the next turn fills that block up and so has another one.
 *
 * <p>One event is pending for each open conversation, and one for the next start; requests leave in
 * the order of time. Only operations whose results the platform defines exactly are used ({@code
 * StrictMath}, {@code SplittableRandom}'s bits), so a seed gives the same trace everywhere.
 */
public final class TraceGenerator implements TraceSource {
  private static final double NANOS_PER_SECOND = 1e9;

  private final GeneratorSettings settings;
  private final SplittableRandom random;
  private final double[] popularity;
  private final List<SystemPrompt> systemPrompts = new ArrayList<>();
  private final PriorityQueue<Turn> turns = new PriorityQueue<>();
  private long nextBlockId;
  private long nextSequence;
  private long emitted;

  /** A generator at the start of its trace. */
  public TraceGenerator(GeneratorSettings settings) {
    this.settings = settings;
    this.random = new SplittableRandom(settings.seed());
    this.popularity = new double[settings.systemPrompts()];
    double sum = 0;
    for (int i = 0; i < popularity.length; i++) {
      sum += StrictMath.pow(i + 1.0, -settings.zipfExponent());
      popularity[i] = sum;
    }
    for (int i = 0; i < popularity.length; i++) {
      int tokens = Math.min(lognormal(settings.systemTokens()), settings.maxInputTokens());
      systemPrompts.add(new SystemPrompt(tokens, newBlocks(tokens / TraceRequest.BLOCK_TOKENS)));
    }
    turns.add(new Turn(0, nextSequence++, null));
  }

  @Override
  public String name() {
    return settings.describe();
  }

  @Override
  public String identity() {
    return settings.toString();
  }

  @Override
  public @Nullable TraceRequest next() {
    if (emitted == settings.requests()) {
      return null;
    }
    while (true) {
      // Never empty: each start schedules the next one.
      Turn turn = turns.remove();
      Conversation conversation = turn.conversation();
      if (conversation == null) {
        double gap = exponential(1 / settings.sessionsPerSecond());
        turns.add(new Turn(turn.atNanos() + nanos(gap), nextSequence++, null));
        conversation = start();
      }
      int prompt = conversation.tokens + lognormal(settings.userTokens());
      if (prompt > settings.maxInputTokens()) {
        if (conversation.turns > 0) {
          continue;
        }
        prompt = settings.maxInputTokens();
      }
      return turn(turn.atNanos(), conversation, prompt);
    }
  }

  @Override
  public void close() {}

  private TraceRequest turn(long atNanos, Conversation conversation, int promptTokens) {
    int complete = promptTokens / TraceRequest.BLOCK_TOKENS;
    while (conversation.blocks.size() < complete) {
      conversation.blocks.add(nextBlockId++);
    }
    int blocks = Math.ceilDiv(promptTokens, TraceRequest.BLOCK_TOKENS);
    long[] ids = new long[blocks];
    for (int i = 0; i < complete; i++) {
      ids[i] = conversation.blocks.get(i);
    }
    if (blocks > complete) {
      ids[complete] = nextBlockId++;
    }
    int answer = lognormal(settings.outputTokens());
    conversation.tokens = promptTokens + answer;
    conversation.turns++;
    if (random.nextDouble() >= 1 / settings.meanTurns()) {
      long later = atNanos + nanos(exponential(settings.thinkSeconds()));
      turns.add(new Turn(later, nextSequence++, conversation));
    }
    return new TraceRequest(emitted++, atNanos, promptTokens, answer, ids);
  }

  private Conversation start() {
    double pick = random.nextDouble() * popularity[popularity.length - 1];
    int prompt = 0;
    while (prompt < popularity.length - 1 && popularity[prompt] <= pick) {
      prompt++;
    }
    SystemPrompt system = systemPrompts.get(prompt);
    return new Conversation(system.tokens(), new ArrayList<>(system.blocks()));
  }

  private List<Long> newBlocks(int count) {
    List<Long> blocks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      blocks.add(nextBlockId++);
    }
    return blocks;
  }

  private int lognormal(int median) {
    double normal =
        StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
            * StrictMath.cos(2 * Math.PI * random.nextDouble());
    double tokens = median * StrictMath.exp(settings.sigma() * normal);
    return Math.clamp(Math.round(tokens), 1, TraceRequest.MAX_TOKENS / 4);
  }

  private double exponential(double mean) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * NANOS_PER_SECOND);
  }

  private record SystemPrompt(int tokens, List<Long> blocks) {}

  /**
   * The next turn of a conversation, or the start of one. Equal times leave in the order in which
   * they were planned.
   */
  private record Turn(long atNanos, long sequence, @Nullable Conversation conversation)
      implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      int order = Long.compare(atNanos, other.atNanos);
      return order != 0 ? order : Long.compare(sequence, other.sequence);
    }
  }

  private static final class Conversation {
    private final List<Long> blocks;
    private int tokens;
    private int turns;

    Conversation(int tokens, List<Long> blocks) {
      this.tokens = tokens;
      this.blocks = blocks;
    }
  }
}
