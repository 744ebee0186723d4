package io.orbitkv.cli;

import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.StatusTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What is asked of a running Manager. */
final class Administration {
  // Of the mode of a file: the bits that tell what it is, and those of a socket (S_IFMT, S_IFSOCK).
  private static final int FILE_TYPE = 0xF000;
  private static final int SOCKET = 0xC000;

  private Administration() {}

  static int status(SocketOption option, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = connect(Configurations.socket(option))) {
      String status = client.status();
      out.print(json ? status + "\n" : StatusTable.of(status));
      return 0;
    }
  }

  static int metrics(SocketOption option, boolean names, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = connect(Configurations.socket(option))) {
      if (!names) {
        String metrics = client.metrics(json);
        out.print(json ? metrics + "\n" : metrics);
        return 0;
      }
      List<MetricNames> described = MetricNames.of(client.metrics(false));
      out.print(
          json
              ? JsonReport.object(report ->
                  described.forEach(metric ->
                      report.object(
                          metric.name(),
                          fields ->
                              fields.field("type", metric.type()).field("help", metric.help()))))
                  + "\n"
              : MetricNames.table(described));
      return 0;
    }
  }

  static int sync(
      SocketOption option, boolean durable, int timeoutSeconds, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = connect(Configurations.socket(option))) {
      Duration timeout = Duration.ofSeconds(timeoutSeconds);
      long discarded = durable ? client.syncDurable(timeout) : client.sync(timeout);
      out.println(
          json
              ? JsonReport.object(
                  report -> report.field("discarded_pages", discarded).field("durable", durable))
              : "every published page is findable or discarded ("
                  + Quantity.count(discarded)
                  + " discarded)"
                  + (durable ? ", and what waited for the SSD tier is written and flushed" : ""));
      return 0;
    }
  }

  static int evict(
      SocketOption option, boolean everywhere, int timeoutSeconds, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = connect(Configurations.socket(option))) {
      Duration timeout = Duration.ofSeconds(timeoutSeconds);
      long bytes = everywhere ? client.evictAll(timeout) : client.evict(timeout);
      out.println(
          json
              ? JsonReport.object(report ->
                  report.field("evicted_bytes", bytes).field("tier", everywhere ? "all" : "dram"))
              : "evicted "
                  + Quantity.bytes(bytes)
                  + " of host memory"
                  + (everywhere ? ", and everything of the SSD tier where there is one" : ""));
      return 0;
    }
  }

  static OrbitKvClient connect(Path socket) throws IOException, InterruptedException {
    requireSocket(socket);
    return OrbitKvClient.connect(socket, ClientOptions.defaults("orbitkv-cli"));
  }

  static void requireSocket(Path socket) {
    if (!Files.exists(socket)) {
      throw CommandException.failure(
          "no Manager listens on ["
              + socket
              + "]: start one with 'orbitkv serve', or name its socket",
          null);
    }
    if (!isSocket(socket)) {
      throw CommandException.usage(
          "[" + socket + "] is not a socket: name the one that a Manager listens on");
    }
  }

  private static boolean isSocket(Path path) {
    try {
      return ((int) Files.getAttribute(path, "unix:mode") & FILE_TYPE) == SOCKET;
    } catch (IOException unknown) {
      return true; // Connecting says what is wrong with it.
    }
  }
}
