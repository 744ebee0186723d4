package io.orbitkv.workload.trace;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The workload with which preparation, warming and cutoffs are judged: each prefix once, in order,
 * then requests of which a share repeats a prefix drawn evenly and the others have prompts of their
 * own. All arrive at once: it is meant for a closed loop.
 */
public final class ReuseTrace implements TraceSource {
  private final ReuseSettings settings;
  private final SplittableRandom random;
  private final long[][] prefixes;
  private long nextBlockId;
  private long emitted;

  /** At the start of the trace. */
  public ReuseTrace(ReuseSettings settings) {
    this.settings = settings;
    this.random = new SplittableRandom(settings.seed());
    this.prefixes = new long[settings.prefixes()][];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = newBlocks(length(i));
    }
  }

  @Override
  public String name() {
    return settings.describe();
  }

  @Override
  public String identity() {
    return settings.describe();
  }

  @Override
  public @Nullable TraceRequest next() {
    if (emitted == settings.prefixes() + (long) settings.requests()) {
      return null;
    }
    long index = emitted++;
    if (index < settings.prefixes()) {
      return request(index, prefixes[(int) index]);
    }
    // Both are drawn every time, so that the same seed repeats the same prefixes at any share.
    boolean repeats = random.nextDouble() < settings.reuse();
    int chosen = random.nextInt(settings.prefixes());
    return request(index, repeats ? prefixes[chosen] : newBlocks(length(chosen)));
  }

  private TraceRequest request(long index, long[] blocks) {
    int tokens = blocks.length * TraceRequest.BLOCK_TOKENS;
    int own = settings.ownTokens();
    long[] ids = new long[blocks.length + Math.ceilDiv(own, TraceRequest.BLOCK_TOKENS)];
    System.arraycopy(blocks, 0, ids, 0, blocks.length);
    for (int i = blocks.length; i < ids.length; i++) {
      ids[i] = nextBlockId++;
    }
    return new TraceRequest(index, 0, tokens + own, settings.outputTokens(), ids);
  }

  private int length(int prefix) {
    int[] lengths = settings.lengths();
    return lengths[prefix % lengths.length];
  }

  private long[] newBlocks(int tokens) {
    long[] ids = new long[tokens / TraceRequest.BLOCK_TOKENS];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = nextBlockId++;
    }
    return ids;
  }

  @Override
  public void close() {}
}
