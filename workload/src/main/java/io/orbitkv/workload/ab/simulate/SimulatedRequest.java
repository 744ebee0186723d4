package io.orbitkv.workload.ab.simulate;

/**
 * What one request met in a model.
 *
 * @param arrivalSeconds since the start of the trace
 * @param conversation root of its chain
 * @param promptPages complete pages of its prompt
 * @param dramHitPages of its prefix hit, found in host memory
 * @param ssdHitPages of its prefix hit, found on the SSD
 * @param ssdReadBytes read for it
 * @param ssdWrittenBytes written because of it
 * @param firstTokenSeconds modelled time to first token; 0 in a model without times
 */
public record SimulatedRequest(
    double arrivalSeconds,
    long conversation,
    int promptPages,
    int dramHitPages,
    int ssdHitPages,
    long ssdReadBytes,
    long ssdWrittenBytes,
    double firstTokenSeconds) {
  /** Pages of the prefix hit. */
  public int hitPages() {
    return dramHitPages + ssdHitPages;
  }
}
