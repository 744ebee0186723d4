package io.orbitkv.workload.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads agentic sessions of the kv-cache-tester format: one JSON file a session, with the times,
 * lengths and block ids of its requests and those of its sub-agents, whose times count from the
 * sub-agent's start. Ids mean something in their own session alone.
 *
 * <p>A session's times include its pauses; how sessions lie to one another the files do not say, so
 * they start at equal distances in the order of their names. Everything is in memory: the requests
 * of all sessions are told in the order of time.
 */
public final class SessionsTrace implements TraceSource {
  /** Default distance between the starts of two sessions. */
  public static final double SPREAD_SECONDS = 60;

  private static final int MOST_SESSIONS = 1 << 15;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Path path;
  private final int sessions;
  private final List<SessionFile.Entry> entries;
  private final int blockTokens;
  private int given;

  private SessionsTrace(Path path, int sessions, List<SessionFile.Entry> entries, int blockTokens) {
    this.path = path;
    this.sessions = sessions;
    this.entries = entries;
    this.blockTokens = blockTokens;
  }

  /**
   * Reads a session, or all of a folder.
   *
   * @param path a JSON file, or a folder whose {@code .json} files are sessions
   * @param spreadSeconds between the starts of two sessions
   * @throws TraceException naming the file, the place in it and what does not fit
   */
  public static SessionsTrace open(Path path, double spreadSeconds) {
    List<Path> files = files(path);
    List<SessionFile.Entry> entries = new ArrayList<>();
    int blockTokens = 0;
    long blocks = 0;
    for (int i = 0; i < files.size(); i++) {
      long startNanos = Math.round(i * spreadSeconds * NANOS_PER_SECOND);
      SessionFile session = read(files.get(i), i, startNanos);
      if (blockTokens != 0 && blockTokens != session.blockTokens()) {
        throw new TraceException(
            "trace ["
                + files.get(i)
                + "] has blocks of ["
                + session.blockTokens()
                + "] tokens, those before it of ["
                + blockTokens
                + "]: read them apart",
            null);
      }
      blockTokens = session.blockTokens();
      entries.addAll(session.entries());
      blocks += session.blocks();
      if (entries.size() > TraceLimits.MAX_REQUESTS || blocks > TraceLimits.MAX_BLOCKS) {
        throw new TraceException(
            "trace ["
                + path
                + "] is too large: more than ["
                + TraceLimits.MAX_REQUESTS
                + "] requests or ["
                + TraceLimits.MAX_BLOCKS
                + "] blocks up to ["
                + files.get(i)
                + "]: read fewer sessions",
            null);
      }
    }
    // Stable: requests of one time stay in the order of the files.
    entries.sort(Comparator.comparingLong(SessionFile.Entry::atNanos));
    return new SessionsTrace(path, files.size(), entries, blockTokens);
  }

  private static List<Path> files(Path path) {
    if (!Files.exists(path)) {
      throw new TraceException("trace [" + path + "] does not exist: check the path", null);
    }
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> all = Files.list(path)) {
      List<Path> files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
      if (files.isEmpty() || files.size() > MOST_SESSIONS) {
        throw new TraceException(
            "trace ["
                + path
                + "] holds ["
                + files.size()
                + "] sessions (.json): must be 1 to "
                + MOST_SESSIONS,
            null);
      }
      return files;
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + path + "] cannot be listed: " + failure.getMessage(), failure);
    }
  }

  private static SessionFile read(Path file, int session, long startNanos) {
    JsonFactory json =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try {
      long bytes = Files.size(file);
      if (bytes == 0 || bytes > TraceLimits.MAX_SESSION_BYTES) {
        throw new TraceException(
            "trace ["
                + file
                + "] has ["
                + bytes
                + "] bytes: must be 1 to "
                + TraceLimits.MAX_SESSION_BYTES,
            null);
      }
      try (InputStream input = Files.newInputStream(file);
          JsonParser parser = json.createParser(ObjectReadContext.empty(), input)) {
        try {
          return SessionFile.read(parser, session, startNanos);
        } catch (JacksonException malformed) {
          throw at(file, parser, "not a session: " + malformed.getOriginalMessage(), malformed);
        } catch (IllegalArgumentException unfit) {
          throw at(file, parser, String.valueOf(unfit.getMessage()), unfit);
        }
      }
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + file + "] cannot be read: " + failure.getMessage(), failure);
    }
  }

  private static TraceException at(Path file, JsonParser parser, String problem, Throwable cause) {
    return new TraceException(
        "trace ["
            + file
            + "] line "
            + parser.currentLocation().getLineNr()
            + " column "
            + parser.currentLocation().getColumnNr()
            + ": "
            + problem,
        cause);
  }

  @Override
  public String name() {
    return path + " (" + sessions + (sessions == 1 ? " session)" : " sessions)");
  }

  @Override
  public String identity() {
    return "kv-cache-tester " + path.getFileName();
  }

  @Override
  public @Nullable TraceRequest next() {
    if (given == entries.size()) {
      return null;
    }
    SessionFile.Entry entry = entries.get(given);
    return new TraceRequest(
        given++,
        entry.atNanos(),
        entry.inputTokens(),
        entry.outputTokens(),
        entry.blockIds(),
        blockTokens);
  }

  @Override
  public void close() {}
}
