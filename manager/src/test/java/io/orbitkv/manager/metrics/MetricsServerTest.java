package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class MetricsServerTest {
  private static final String POST =
      "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

  private final Source source = new Source();
  private MetricsServer server;

  private static final class Source implements MetricsServer.Source {
    volatile String trouble = "";

    @Override
    public String text() {
      if (!trouble.isEmpty()) {
        throw new IllegalStateException(trouble);
      }
      return "orbitkv_some 1\n";
    }

    @Override
    public String trouble() {
      return trouble;
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        MetricsServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), source);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void metrics_asked_areThere() throws IOException {
    assertThat(ask("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("text/plain; version=0.0.4; charset=utf-8\r\n")
        .endsWith("\r\n\r\norbitkv_some 1\n");
    assertThat(ask("HEAD /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void health_whenAllIsWellOrNot_saysSo() throws IOException {
    assertThat(ask("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200")
        .endsWith("\r\n\r\nok\n");
    source.trouble = "the dispatcher did not answer";
    assertThat(ask("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 503")
        .endsWith("\r\n\r\nthe dispatcher did not answer\n");
    assertThat(ask("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 503");
  }

  @Test
  void anythingElse_asked_isRefused() throws IOException {
    assertThat(ask("GET /metrics/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 404");
    assertThat(ask(POST)).startsWith("HTTP/1.1 405").contains("Allow: GET, HEAD\r\n");
    assertThat(ask("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
    assertThat(ask("GET /metrics HTTP/1.1\r\nX: " + "x".repeat(40_000) + "\r\n\r\n"))
        .doesNotContain("orbitkv_some");
  }

  @Test
  void health_besideHalfSentRequests_answers() throws IOException {
    List<Socket> halves = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * HttpListener.MOST_CONNECTIONS; i++) {
        Socket half = new Socket(server.address().getAddress(), server.address().getPort());
        half.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
        halves.add(half);
      }
      assertThat(ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n"))
          .startsWith("HTTP/1.1 200")
          .endsWith("\r\n\r\nok\n");
      // The oldest have given way.
      halves.getFirst().setSoTimeout(20_000);
      assertThat(end(halves.getFirst())).isTrue();
    } finally {
      for (Socket half : halves) {
        half.close();
      }
    }
  }

  @Test
  void halfSentRequest_afterItsTime_isClosed() throws IOException {
    HttpListener.HttpLimits limits =
        new HttpListener.HttpLimits(Duration.ofMillis(50), Duration.ofSeconds(20));
    try (MetricsServer hasty =
            MetricsServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits, source);
        Socket half = new Socket(hasty.address().getAddress(), hasty.address().getPort())) {
      half.setSoTimeout(20_000);
      half.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
      assertThat(end(half)).isTrue();
    }
  }

  @Test
  void everyIpv4Address_isListenedOnWithIpv4Alone() throws IOException {
    try (MetricsServer wide =
        MetricsServer.start(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0), source)) {
      int port = wide.address().getPort();
      assertThat(wide.url()).isEqualTo("http://0.0.0.0:" + port + "/metrics");
      assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral("::1"), port))
          .isInstanceOf(IOException.class);
      new Socket(InetAddress.ofLiteral("127.0.0.1"), port).close();
    }
  }

  private static boolean end(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  private String ask(String request) throws IOException {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (java.net.SocketException reset) {
      return "";
    }
  }
}
