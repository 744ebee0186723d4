package io.orbitkv.workload.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BailianTraceTest {
  private static final String GOOD =
      "{\"chat_id\": 3, \"parent_chat_id\": -1, \"timestamp\": 1.5, \"input_length\": 40,"
          + " \"output_length\": 5, \"type\": \"text\", \"turn\": 1, \"hash_ids\": [4, 5, 6]}";

  @TempDir Path folder;

  @Test
  void next_goodLine_givesTheRequest() throws IOException {
    try (BailianTrace trace = BailianTrace.open(write(GOOD + "\n"))) {
      assertThat(trace.next())
          .isEqualTo(new TraceRequest(0, 1_500_000_000, 40, 5, new long[] {4, 5, 6}, 16));
      assertThat(trace.next()).isNull();
    }
  }

  @Test
  void next_completeBlocksAlone_givesThePartialOneAnIdOfItsOwn() throws IOException {
    String line = GOOD.replace("[4, 5, 6]", "[4, 5]");
    try (BailianTrace trace = BailianTrace.open(write(line + "\n" + line + "\n"))) {
      TraceRequest first = trace.next();
      TraceRequest second = trace.next();
      assertThat(first).isNotNull();
      assertThat(second).isNotNull();
      assertThat(first.blockIds()).hasSize(3).startsWith(4, 5);
      assertThat(second.blockIds()[2]).isNotEqualTo(first.blockIds()[2]);
    }
  }

  @Test
  void open_byContent_isTold() throws IOException {
    try (TraceSource trace = TraceFiles.open(write(GOOD), 1)) {
      assertThat(trace).isInstanceOf(BailianTrace.class);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "turn": 1, | "turn": "1",        | [turn] is [1]: must be a whole number
          "turn": 1, | "turns": 1,         | [turns] is unknown
          1.5        | 0.5                 | before the line above
          40         | 0                   | [input_length] is [0]
          40         | 90                  | [hash_ids] has [3] ids
          "text"     | 7                   | [type] is [7]
          [4, 5, 6]  | 4                   | [hash_ids] is [4]
          [4, 5, 6]  | [4, 5, 9223372036854775807] | ids are below 2^62
          """)
  void next_badLine_namesFileLineAndProblem(String good, String bad, String problem)
      throws IOException {
    Path file = write(GOOD + "\n" + GOOD.replace(good, bad) + "\n");

    try (BailianTrace trace = BailianTrace.open(file)) {
      assertThat(trace.next()).isNotNull();
      assertThatThrownBy(trace::next)
          .isInstanceOf(TraceException.class)
          .hasMessageStartingWith("trace [" + file + "] line 2: ")
          .hasMessageContaining(problem);
    }
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.jsonl"), text);
  }
}
