package io.orbitkv.workload.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionsTraceTest {
  private static final String SESSION =
      """
      {"id": "a", "models": ["m"], "block_size": 64, "hash_id_scope": "local", "tool_tokens": 9,
       "requests": [
         {"t": 0.0, "type": "n", "in": 130, "out": 5, "hash_ids": [1, 2], "think_time": 0.0},
         {"t": 10.5, "type": "subagent", "agent_id": "x",
          "requests": [{"t": 0.5, "in": 64, "out": 1, "hash_ids": [9]}]},
         {"t": 20.0, "type": "s", "in": 192, "out": 6, "hash_ids": [1, 2, 3]}],
       "totals": {"input": 1}}
      """;

  @TempDir Path folder;

  @Test
  void next_subAgents_comeAtTheirTime() throws IOException {
    List<TraceRequest> requests = all(write("a.json", SESSION));

    assertThat(requests)
        .extracting(TraceRequest::arrivalNanos)
        .containsExactly(0L, 11_000_000_000L, 20_000_000_000L);
    assertThat(requests).extracting(TraceRequest::inputTokens).containsExactly(130, 64, 192);
    assertThat(requests).extracting(TraceRequest::blockTokens).containsOnly(64);
    assertThat(requests.get(0).blockIds()).hasSize(3);
    assertThat(requests.get(2).blockIds()).startsWith(requests.get(0).blockIds()[0]);
  }

  @Test
  void next_severalSessions_shareNothingAndStartApart() throws IOException {
    Path _ = write("a.json", SESSION);
    Path _ = write("b.json", SESSION);

    List<TraceRequest> requests = all(folder);

    assertThat(requests).hasSize(6);
    assertThat(requests.get(3).arrivalNanos()).isEqualTo(60_000_000_000L);
    assertThat(requests.get(3).blockIds()[0]).isNotEqualTo(requests.get(0).blockIds()[0]);
    assertThat(requests).extracting(TraceRequest::index).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void open_folderWithoutSessions_saysSo() {
    assertThatThrownBy(() -> SessionsTrace.open(folder, 60))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("holds [0] sessions");
  }

  @Test
  void open_missing_saysSo() {
    assertThatThrownBy(() -> SessionsTrace.open(folder.resolve("none"), 60))
        .hasMessageContaining("does not exist");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "in": 130        | "in": -1         | [in] is [-1]
          "in": 130        | "in": 500        | [hash_ids] has [2] ids
          "t": 0.0, "type" | "type"           | [t] is missing
          [1, 2]           | [1, -2]          | contains [-2]
          "local"          | "global"         | [hash_id_scope] is [global]
          "block_size": 64, | "x": 1,         | [block_size] is missing
          "requests": [    | "requests": [ 7, | must be a list of objects
          "totals"         | totals           | not a session
          """)
  void open_badSession_namesFilePlaceAndProblem(String good, String bad, String problem)
      throws IOException {
    Path file = write("a.json", SESSION.replaceFirst(java.util.regex.Pattern.quote(good), bad));

    assertThatThrownBy(() -> SessionsTrace.open(file, 60))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith("trace [" + file + "] line ")
        .hasMessageContaining(problem);
  }

  private static List<TraceRequest> all(Path path) {
    try (TraceSource source = TraceFiles.open(path, 1)) {
      List<TraceRequest> requests = new ArrayList<>();
      for (TraceRequest one = source.next(); one != null; one = source.next()) {
        requests.add(one);
      }
      return requests;
    }
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }
}
