package io.orbitkv.workload.ab.simulate;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The requests of one variant.
 *
 * @param requests in order
 */
public record SimulatedArm(List<SimulatedRequest> requests) {
  /** Copies the list. */
  public SimulatedArm {
    requests = List.copyOf(requests);
  }

  /** Prefix hits as a share of all prompt pages; 0 without pages. */
  public double prefixHitRatio() {
    double pages = sum(SimulatedRequest::promptPages);
    return pages == 0 ? 0 : sum(SimulatedRequest::hitPages) / pages;
  }

  /** Bytes written to the SSD. */
  public long ssdWrittenBytes() {
    return (long) sum(SimulatedRequest::ssdWrittenBytes);
  }

  /** Bytes read from the SSD. */
  public long ssdReadBytes() {
    return (long) sum(SimulatedRequest::ssdReadBytes);
  }

  /** Mean modelled time to first token; 0 in a model without times. */
  public double meanFirstTokenSeconds() {
    return requests.isEmpty() ? 0 : sum(SimulatedRequest::firstTokenSeconds) / requests.size();
  }

  double sum(ToDoubleFunction<SimulatedRequest> column) {
    return requests.stream().mapToDouble(column).sum();
  }

  double[] column(ToDoubleFunction<SimulatedRequest> column) {
    return requests.stream().mapToDouble(column).toArray();
  }

  long[] conversations() {
    return requests.stream().mapToLong(SimulatedRequest::conversation).toArray();
  }

  /** What it met from some time on. */
  SimulatedArm from(double seconds) {
    return new SimulatedArm(
        requests.stream().filter(request -> request.arrivalSeconds() >= seconds).toList());
  }

  /**
   * When every tier had been filled once.
   *
   * @return not a number when one never was
   */
  double turnoverSeconds(long pageBytes, double dramBytes, double ssdBytes) {
    double inserted = 0;
    double written = 0;
    for (SimulatedRequest request : requests) {
      inserted += (double) (request.promptPages() - request.dramHitPages()) * pageBytes;
      written += request.ssdWrittenBytes();
      if (inserted >= dramBytes && written >= ssdBytes) {
        return request.arrivalSeconds();
      }
    }
    return Double.NaN;
  }
}
