package io.orbitkv.manager.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prometheus text over HTTP: {@code /metrics}, and {@code /health} for whoever restarts the
 * process. Health asks the dispatcher alone and has a thread to itself, so it answers whatever a
 * device, a plugin or a reader of the metrics does. Connections, headers and times are limited;
 * nothing is read from a request but its first line and headers.
 */
public final class MetricsServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MetricsServer.class);

  private static final int BACKLOG = 16;
  private static final int READERS = 2;
  private static final int THREADS = READERS + 1;
  private static final int WAITING_REQUESTS = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  // The JDK's server reads them when its first instance is made.
  private static final Map<String, String> LIMITS =
      Map.of(
          "jdk.httpserver.maxConnections", "32",
          "sun.net.httpserver.maxIdleConnections", "16",
          "sun.net.httpserver.maxReqHeaders", "64",
          "sun.net.httpserver.maxReqHeaderSize", "16384",
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "30",
          "sun.net.httpserver.drainAmount", "4096");

  private final HttpServer server;
  private final ThreadPoolExecutor executor;

  private MetricsServer(HttpServer server, ThreadPoolExecutor executor) {
    this.server = server;
    this.executor = executor;
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
    LIMITS.forEach((name, value) -> {
      if (System.getProperty(name) == null) {
        System.setProperty(name, value);
      }
    });
    HttpServer server = HttpServer.create(address, BACKLOG);
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_REQUESTS),
            Thread.ofPlatform().name("orbitkv-metrics-", 0).daemon(true).factory());
    executor.allowCoreThreadTimeOut(true);
    server.setExecutor(executor);
    Semaphore readers = new Semaphore(READERS);
    server.createContext("/", exchange -> handle(exchange, source, readers));
    server.start();
    return new MetricsServer(server, executor);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Boot thread. Ends at once; a request that is being answered is cut. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }

  private static void handle(HttpExchange exchange, Source source, Semaphore readers) {
    try (exchange) {
      answer(exchange, source, readers);
    } catch (IOException gone) {
      log.debug("a reader of the metrics went away: {}", gone.getMessage());
    } catch (RuntimeException failed) {
      log.warn("a request for the metrics failed", failed);
    }
  }

  private static void answer(HttpExchange exchange, Source source, Semaphore readers)
      throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean metrics = "/metrics".equals(path);
    if (!metrics && !"/health".equals(path)) {
      send(exchange, NOT_FOUND, "there are /metrics and /health\n");
      return;
    }
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      send(exchange, NOT_ALLOWED, "GET or HEAD\n");
      return;
    }
    if (metrics) {
      if (!readers.tryAcquire()) {
        send(exchange, UNAVAILABLE, "[" + READERS + "] others read the metrics: try again\n");
        return;
      }
      String text;
      try {
        text = source.text();
      } catch (IllegalStateException none) {
        send(exchange, UNAVAILABLE, none.getMessage() + "\n");
        return;
      } finally {
        readers.release();
      }
      exchange.getResponseHeaders().set("Content-Type", PrometheusText.CONTENT_TYPE);
      send(exchange, OK, text);
    } else {
      String trouble = source.trouble();
      send(
          exchange,
          trouble.isEmpty() ? OK : UNAVAILABLE,
          (trouble.isEmpty() ? "ok" : trouble) + "\n");
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    Headers headers = exchange.getResponseHeaders();
    if (!headers.containsKey("Content-Type")) {
      headers.set("Content-Type", "text/plain; charset=utf-8");
    }
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Cache-Control", "no-store");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, head ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
  }
}
