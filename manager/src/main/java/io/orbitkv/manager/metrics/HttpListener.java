package io.orbitkv.manager.metrics;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The JDK's own server reads requests on the threads that answer them, so that a few half-sent ones
 * hold up everybody, and it cannot listen on IPv4 alone. What is needed is little: a request line,
 * headers that are skipped, one answer, and the end of the connection.
 */

/**
 * Takes connections, reads one request from each, and sends one answer. Each connection has a
 * thread of its own and a limited time. When there are too many, the one that has owed its request
 * for longest gives way, so that whoever sends its request at once is answered.
 */
final class HttpListener implements AutoCloseable {
  /** Connections at one time. */
  static final int MOST_CONNECTIONS = 64;

  private static final Logger log = LoggerFactory.getLogger(HttpListener.class);
  private static final int BACKLOG = 128;
  private static final int MOST_HEAD_BYTES = 16 << 10;
  private static final int DRAINED_BYTES = 64 << 10;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

  private final ServerSocketChannel server;
  private final InetSocketAddress address;
  private final HttpLimits limits;
  private final Handler handler;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("orbitkv-metrics-", 0).factory());
  private final ScheduledThreadPoolExecutor clock =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("orbitkv-metrics-clock").daemon().factory());
  // Guarded by itself. In the order of arrival; the value tells whether the request is still owed.
  private final Map<SocketChannel, Boolean> connections = new LinkedHashMap<>();

  /** Answers requests, on any thread and several at a time. */
  @FunctionalInterface
  interface Handler {
    HttpAnswer answer(String method, String path);
  }

  /**
   * What a connection may take.
   *
   * @param request from its begin until its headers are complete
   * @param answer from the time that it is made until it is sent and the client has seen the end
   */
  record HttpLimits(Duration request, Duration answer) {
    static final HttpLimits STANDARD =
        new HttpLimits(Duration.ofSeconds(3), Duration.ofSeconds(30));
  }

  private HttpListener(ServerSocketChannel server, HttpLimits limits, Handler handler)
      throws IOException {
    this.server = server;
    this.address = (InetSocketAddress) server.getLocalAddress();
    this.limits = limits;
    this.handler = handler;
    clock.setRemoveOnCancelPolicy(true);
  }

  /**
   * Listens and answers from then on: for an address of IPv4 on IPv4 alone.
   *
   * @throws IOException when the system refuses the address
   */
  static HttpListener start(InetSocketAddress address, HttpLimits limits, Handler handler)
      throws IOException {
    boolean four = address.getAddress() instanceof Inet4Address;
    ServerSocketChannel server =
        ServerSocketChannel.open(four ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(address, BACKLOG);
      HttpListener listener = new HttpListener(server, limits, handler);
      Thread.ofPlatform().name("orbitkv-metrics-accept").daemon().start(listener::accept);
      return listener;
    } catch (IOException | RuntimeException refused) {
      server.close();
      throw refused;
    }
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return address;
  }

  /** Ends at once; a request that is being answered is cut. */
  @Override
  public void close() {
    close(server);
    List<SocketChannel> open;
    synchronized (connections) {
      open = new ArrayList<>(connections.keySet());
    }
    open.forEach(HttpListener::close);
    threads.shutdownNow();
    clock.shutdownNow();
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel connection = server.accept();
        makeRoom(connection);
        threads.execute(() -> converse(connection));
      } catch (ClosedChannelException ended) {
        return;
      } catch (IOException | RuntimeException failed) {
        log.debug("a connection for the metrics was not taken: {}", failed.toString());
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE.toNanos());
      }
    }
  }

  private void makeRoom(SocketChannel newest) {
    synchronized (connections) {
      if (connections.size() >= MOST_CONNECTIONS) {
        SocketChannel oldest =
            connections.entrySet().stream()
                .filter(Map.Entry::getValue)
                .findFirst()
                .map(Map.Entry::getKey)
                .orElse(newest);
        connections.remove(oldest);
        close(oldest);
      }
      connections.put(newest, true);
    }
  }

  private void converse(SocketChannel connection) {
    try (connection) {
      HttpAnswer answer = answer(connection);
      Future<?> late = closeAfter(limits.answer(), connection);
      send(connection, answer);
      late.cancel(false);
    } catch (IOException gone) {
      log.debug("a reader of the metrics went away: {}", gone.toString());
    } catch (RuntimeException failed) {
      log.warn("a request for the metrics failed", failed);
    } finally {
      synchronized (connections) {
        connections.remove(connection);
      }
    }
  }

  private HttpAnswer answer(SocketChannel connection) throws IOException {
    String[] request;
    try {
      Future<?> late = closeAfter(limits.request(), connection);
      request = requestLine(connection);
      late.cancel(false);
    } catch (IllegalArgumentException malformed) {
      return HttpAnswer.malformed(String.valueOf(malformed.getMessage()));
    }
    synchronized (connections) {
      connections.replace(connection, false);
    }
    return handler
        .answer(request[0], request[1].split("\\?", 2)[0])
        .withoutBody(request[0].equals("HEAD"));
  }

  private Future<?> closeAfter(Duration limit, SocketChannel connection) {
    return clock.schedule(() -> close(connection), limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Method and target, once the headers are complete.
   *
   * @throws IllegalArgumentException when this is no request
   * @throws IOException when the client goes away before
   */
  private static String[] requestLine(SocketChannel connection) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(MOST_HEAD_BYTES);
    String text = "";
    while (!text.contains("\r\n\r\n") && !text.contains("\n\n")) {
      if (!head.hasRemaining()) {
        throw new IllegalArgumentException("the headers are too large");
      }
      if (connection.read(head) < 0) {
        throw new IOException("it closed the connection before its request was complete");
      }
      text = new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
    }
    String[] words = text.lines().findFirst().orElse("").split(" ", -1);
    if (words.length != 3 || !words[1].startsWith("/") || !words[2].startsWith("HTTP/1.")) {
      throw new IllegalArgumentException("this is no request of HTTP/1.1");
    }
    return words;
  }

  private static void send(SocketChannel connection, HttpAnswer answer) throws IOException {
    ByteBuffer bytes = answer.bytes();
    while (bytes.hasRemaining()) {
      int _ = connection.write(bytes);
    }
    // Closing while something is unread would reset the connection and might take the answer along.
    connection.shutdownOutput();
    ByteBuffer unread = ByteBuffer.allocate(DRAINED_BYTES);
    while (unread.hasRemaining() && connection.read(unread) >= 0) {
      // What the client still sends, until it has seen the end.
    }
  }

  private static void close(AutoCloseable channel) {
    try {
      channel.close();
    } catch (Exception failed) {
      log.debug("a connection did not close: {}", failed.toString());
    }
  }
}
