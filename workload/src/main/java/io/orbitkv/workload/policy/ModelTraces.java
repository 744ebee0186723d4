package io.orbitkv.workload.policy;

import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceRequest;
import io.orbitkv.workload.trace.TraceSource;

/** Traces as the model reads them. */
public final class ModelTraces {
  /** Pages of the Manager, in tokens. */
  public static final int PAGE_TOKENS = 64;

  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private ModelTraces() {}

  /**
   * Reads a trace to its end.
   *
   * <p>By default a page of the model is a block of the trace where that is longer than {@link
   * #PAGE_TOKENS}: all pages of a block share its fate, since every request that has one of them
   * has all of them. The last, partial block of a prompt counts as a page then, as in published
   * figures. Shorter blocks are put together to pages, and only complete pages count.
   *
   * @param pageTokens tokens of a page, of which only complete ones count; 0 for the default
   * @param most requests to read at most
   */
  public static ModelTrace read(TraceSource source, int pageTokens, int most) {
    ModelTrace.Builder builder = null;
    int read = 0;
    for (TraceRequest request = source.next();
        request != null && read < most;
        request = source.next()) {
      boolean blocks = pageTokens == 0 && request.blockTokens() > PAGE_TOKENS;
      int tokens = blocks ? request.blockTokens() : pageTokens == 0 ? PAGE_TOKENS : pageTokens;
      if (builder == null) {
        builder = new ModelTrace.Builder(source.name(), tokens);
      }
      builder.add(
          request.arrivalNanos(),
          request.inputTokens(),
          request.outputTokens(),
          blocks ? blockIds(request) : pageIds(request, tokens));
      read++;
    }
    return builder == null
        ? new ModelTrace.Builder(source.name(), PAGE_TOKENS).build()
        : builder.build();
  }

  private static long[] blockIds(TraceRequest request) {
    long[] ids = new long[request.blockIds().length];
    long chained = 0;
    for (int i = 0; i < ids.length; i++) {
      chained = mix(chained + mix(request.blockIds()[i] * STEP + 1));
      ids[i] = chained;
    }
    return ids;
  }

  private static long[] pageIds(TraceRequest request, int pageTokens) {
    long[] keys = PageKeys.of(request, pageTokens);
    long[] ids = new long[keys.length / PageKeys.LONGS];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = mix(keys[i * PageKeys.LONGS] ^ Long.rotateLeft(keys[i * PageKeys.LONGS + 1], 29));
    }
    return ids;
  }

  private static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
