package io.orbitkv.workload.trace;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens traces of every known format. */
public final class TraceFiles {
  private TraceFiles() {}

  /**
   * Opens a trace by what it is: a folder or a {@code .json} file holds kv-cache-tester sessions, a
   * {@code .csv} file is of the Azure format, JSON lines are of the Qwen-Bailian format when the
   * first one has a {@code chat_id}, and of the Mooncake format otherwise.
   *
   * @param seed of what the format does not say
   * @throws TraceException naming the file and what to do
   */
  public static TraceSource open(Path path, long seed) {
    String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    if (Files.isDirectory(path) || name.endsWith(".json")) {
      return SessionsTrace.open(path, SessionsTrace.SPREAD_SECONDS);
    }
    if (name.endsWith(".csv")) {
      return AzureTrace.open(path, seed);
    }
    return firstLineHasChat(path) ? BailianTrace.open(path) : MooncakeTrace.open(path);
  }

  private static boolean firstLineHasChat(Path path) {
    try (TraceLines lines = TraceLines.open(path)) {
      return lines.next() && lines.text().contains("\"chat_id\"");
    }
  }
}
