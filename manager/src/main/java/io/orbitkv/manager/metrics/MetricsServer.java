package io.orbitkv.manager.metrics;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;

/**
 * Prometheus text over HTTP: {@code /metrics}, and {@code /health} for whoever restarts the
 * process. Health asks the dispatcher alone, and each request has a thread of its own, so it
 * answers whatever a device, a plugin or a reader of the metrics does. Connections, headers and
 * times are limited; nothing is read from a request but its first line and headers.
 */
public final class MetricsServer implements AutoCloseable {
  private static final int READERS = 2;

  private final HttpListener listener;

  private MetricsServer(HttpListener listener) {
    this.listener = listener;
  }

  /** What it serves. Threads of the server. */
  public interface Source {
    /**
     * Prometheus text.
     *
     * @throws IllegalStateException when there is none now, saying why
     */
    String text();

    /** Empty when all is well, otherwise what is not. */
    String trouble();
  }

  /**
   * Boot thread. Listens and answers from then on.
   *
   * @param address where; port 0 takes a free one
   * @throws IOException when the system refuses the address
   */
  public static MetricsServer start(InetSocketAddress address, Source source) throws IOException {
    return start(address, HttpListener.HttpLimits.STANDARD, source);
  }

  static MetricsServer start(
      InetSocketAddress address, HttpListener.HttpLimits limits, Source source) throws IOException {
    Semaphore readers = new Semaphore(READERS);
    return new MetricsServer(
        HttpListener.start(
            address, limits, (method, path) -> answer(method, path, source, readers)));
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return listener.address();
  }

  /** Where the metrics are, as somebody would fetch them. */
  public String url() {
    String host = address().getAddress().getHostAddress();
    String literal = address().getAddress() instanceof Inet6Address ? "[" + host + "]" : host;
    return "http://" + literal + ":" + address().getPort() + "/metrics";
  }

  /** Boot thread. Ends at once; a request that is being answered is cut. */
  @Override
  public void close() {
    listener.close();
  }

  private static HttpAnswer answer(String method, String path, Source source, Semaphore readers) {
    boolean metrics = "/metrics".equals(path);
    if (!metrics && !"/health".equals(path)) {
      return HttpAnswer.plain(HttpAnswer.NOT_FOUND, "there are /metrics and /health\n");
    }
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return HttpAnswer.plain(HttpAnswer.NOT_ALLOWED, "GET or HEAD\n").with("Allow", "GET, HEAD");
    }
    return metrics ? metrics(source, readers) : health(source);
  }

  private static HttpAnswer metrics(Source source, Semaphore readers) {
    if (!readers.tryAcquire()) {
      return HttpAnswer.plain(
          HttpAnswer.UNAVAILABLE, "[" + READERS + "] others read the metrics: try again\n");
    }
    try {
      return HttpAnswer.of(HttpAnswer.OK, PrometheusText.CONTENT_TYPE, source.text());
    } catch (IllegalStateException none) {
      return HttpAnswer.plain(HttpAnswer.UNAVAILABLE, none.getMessage() + "\n");
    } finally {
      readers.release();
    }
  }

  private static HttpAnswer health(Source source) {
    String trouble = source.trouble();
    return trouble.isEmpty()
        ? HttpAnswer.plain(HttpAnswer.OK, "ok\n")
        : HttpAnswer.plain(HttpAnswer.UNAVAILABLE, trouble + "\n");
  }
}
