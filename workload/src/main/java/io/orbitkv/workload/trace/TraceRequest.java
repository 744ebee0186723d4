package io.orbitkv.workload.trace;

import java.util.Arrays;

/**
 * One request of a trace. Immutable; the array belongs to the record and is not changed by anybody.
 *
 * @param index place in the trace, from 0
 * @param arrivalNanos since the start of the trace; does not decrease from a request to the next
 * @param inputTokens length of the prompt, positive
 * @param outputTokens tokens generated, not negative
 * @param blockIds one id for each block of prompt tokens, the last block being partial as a rule.
 *     Two requests whose first ids are equal have equal prompts up to the end of the last equal
 *     block
 * @param blockTokens tokens in a block of this trace
 */
public record TraceRequest(
    long index,
    long arrivalNanos,
    int inputTokens,
    int outputTokens,
    long[] blockIds,
    int blockTokens) {
  /** Tokens in a block of the Mooncake format and of generated traces. */
  public static final int BLOCK_TOKENS = 512;

  /** Longest prompt and longest output, in tokens. */
  public static final int MAX_TOKENS = 1 << 24;

  /**
   * Checks the lengths.
   *
   * @throws IllegalArgumentException naming the field of the trace that does not fit
   */
  public TraceRequest {
    if (arrivalNanos < 0) {
      throw new IllegalArgumentException("field [timestamp] is negative");
    }
    requireTokens("input_length", inputTokens, 1);
    requireTokens("output_length", outputTokens, 0);
    if (blockTokens < 1 || blockTokens > MAX_TOKENS) {
      throw new IllegalArgumentException(
          "blocks of [" + blockTokens + "] tokens: must be 1 to " + MAX_TOKENS);
    }
    int blocks = Math.ceilDiv(inputTokens, blockTokens);
    if (blockIds.length != blocks) {
      throw new IllegalArgumentException(
          "field [hash_ids] has ["
              + blockIds.length
              + "] ids: a prompt of "
              + inputTokens
              + " tokens has "
              + blocks
              + " blocks of "
              + blockTokens);
    }
    for (long id : blockIds) {
      if (id < 0) {
        throw new IllegalArgumentException(
            "field [hash_ids] contains [" + id + "]: ids are not negative");
      }
    }
  }

  /** A request with blocks of {@link #BLOCK_TOKENS}. */
  public TraceRequest(
      long index, long arrivalNanos, int inputTokens, int outputTokens, long[] blockIds) {
    this(index, arrivalNanos, inputTokens, outputTokens, blockIds, BLOCK_TOKENS);
  }

  private static void requireTokens(String field, int tokens, int least) {
    if (tokens < least || tokens > MAX_TOKENS) {
      throw new IllegalArgumentException(
          "field [" + field + "] is [" + tokens + "]: must be " + least + " to " + MAX_TOKENS);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TraceRequest request
        && index == request.index
        && arrivalNanos == request.arrivalNanos
        && inputTokens == request.inputTokens
        && outputTokens == request.outputTokens
        && blockTokens == request.blockTokens
        && Arrays.equals(blockIds, request.blockIds);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(index) * 31 + Arrays.hashCode(blockIds);
  }

  @Override
  public String toString() {
    return "TraceRequest[index="
        + index
        + ", arrivalNanos="
        + arrivalNanos
        + ", inputTokens="
        + inputTokens
        + ", outputTokens="
        + outputTokens
        + ", blocks="
        + blockIds.length
        + "]";
  }
}
