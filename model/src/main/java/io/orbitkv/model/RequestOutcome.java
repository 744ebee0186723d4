package io.orbitkv.model;

/**
 * What became of one request.
 *
 * @param index place in the trace
 * @param arrivalNanos since the start of the run
 * @param pages of its prompt
 * @param devicePages of its prefix hit that the engine had itself; 0 without times
 * @param dramPages of its prefix hit, found in host memory
 * @param ssdPages of its prefix hit, found in the backing tier and restored from there
 * @param publishedBytes copied from the device to host memory
 * @param ssdReadBytes read from the backing tier for it
 * @param ssdWrittenBytes written to the backing tier because of it
 * @param ttftSeconds modelled time to first token; 0 in a run without times
 * @param chainRoot the conversation, equal for all requests of one
 */
public record RequestOutcome(
    int index,
    long arrivalNanos,
    int pages,
    int devicePages,
    int dramPages,
    int ssdPages,
    long publishedBytes,
    long ssdReadBytes,
    long ssdWrittenBytes,
    double ttftSeconds,
    long chainRoot) {
  /** Pages of the prefix hit. */
  public int hitPages() {
    return devicePages + dramPages + ssdPages;
  }

  RequestOutcome withTtft(double seconds) {
    return new RequestOutcome(
        index,
        arrivalNanos,
        pages,
        devicePages,
        dramPages,
        ssdPages,
        publishedBytes,
        ssdReadBytes,
        ssdWrittenBytes,
        seconds,
        chainRoot);
  }
}
