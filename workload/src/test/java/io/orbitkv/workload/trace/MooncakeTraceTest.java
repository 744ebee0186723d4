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

class MooncakeTraceTest {
  private static final String GOOD =
      "{\"timestamp\": 7, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [0, 9]}";

  @TempDir Path folder;

  @Test
  void next_goodLines_givesRequestsInOrder() throws IOException {
    Path file =
        write(GOOD + "\n" + GOOD.replace("[0, 9]", "[0, 10]").replace(": 7", ": 7.5") + "\n");

    try (MooncakeTrace trace = MooncakeTrace.open(file)) {
      assertThat(trace.next()).isEqualTo(new TraceRequest(0, 7_000_000, 600, 5, new long[] {0, 9}));
      assertThat(trace.next())
          .isEqualTo(new TraceRequest(1, 7_500_000, 600, 5, new long[] {0, 10}));
      assertThat(trace.next()).isNull();
      assertThat(trace.name()).isEqualTo(file.toString());
    }
  }

  @Test
  void next_lastLineWithoutLineFeed_isRead() throws IOException {
    try (MooncakeTrace trace = MooncakeTrace.open(write(GOOD))) {
      assertThat(trace.next()).isNotNull();
      assertThat(trace.next()).isNull();
    }
  }

  @Test
  void next_readsNoFurtherThanAsked() throws IOException {
    try (MooncakeTrace trace = MooncakeTrace.open(write(GOOD + "\nnot json\n"))) {
      assertThat(trace.next()).isNotNull();
    }
  }

  @Test
  void open_missingFile_saysSo() {
    assertThatThrownBy(() -> MooncakeTrace.open(folder.resolve("none.jsonl")))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("none.jsonl] does not exist");
  }

  @Test
  void open_folder_saysSo() {
    assertThatThrownBy(() -> MooncakeTrace.open(folder))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("is a folder");
  }

  @Test
  void open_emptyFile_saysSo() throws IOException {
    Path file = write("");

    assertThatThrownBy(() -> MooncakeTrace.open(file))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("is empty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          not json                                                                             | not a JSON object
          [1]                                                                                  | not a JSON object
          {"timestamp": 7                                                                      | not a JSON object
          {"timestamp": 7, "input_length": 600, "output_length": 5}                            | [hash_ids] is missing
          {"input_length": 600, "output_length": 5, "hash_ids": [0, 9]}                        | [timestamp] is missing
          {"timestamp": 8, "output_length": 5, "hash_ids": [0, 9]}                             | [input_length] is missing
          {"timestamp": 8, "input_length": 600, "hash_ids": [0, 9]}                            | [output_length] is missing
          {"timestamp": -1, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]}       | [timestamp] is [-1]
          {"timestamp": "8", "input_length": 600, "output_length": 5, "hash_ids": [0, 9]}      | [timestamp] is [8]
          {"timestamp": 1e99, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]}     | [timestamp] is [1e99]
          {"timestamp": 6, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]}        | before the line above
          {"timestamp": 8, "input_length": 0, "output_length": 5, "hash_ids": []}              | [input_length] is [0]
          {"timestamp": 8, "input_length": -600, "output_length": 5, "hash_ids": [0, 9]}       | [input_length] is [-600]
          {"timestamp": 8, "input_length": 16777217, "output_length": 5, "hash_ids": [0]}      | [input_length] is [16777217]
          {"timestamp": 8, "input_length": 600.5, "output_length": 5, "hash_ids": [0, 9]}      | [input_length] is [600.5]
          {"timestamp": 8, "input_length": 600, "output_length": -5, "hash_ids": [0, 9]}       | [output_length] is [-5]
          {"timestamp": 8, "input_length": 600, "output_length": null, "hash_ids": [0, 9]}     | [output_length] is [null]
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": 0}             | [hash_ids] is [0]
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0, -9]}       | [hash_ids] contains [-9]
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0, "9"]}      | [hash_ids] is [9]
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0]}           | [hash_ids] has [1] ids
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0, 99999999999999999999]} | more than 64 bits
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0, 9], "x": 1} | [x] is unknown
          {"timestamp": 8, "timestamp": 9, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]} | timestamp
          {"timestamp": 8, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]} {}     | something follows
          """)
  void next_badLine_namesFileLineAndProblem(String line, String problem) throws IOException {
    Path file = write(GOOD + "\n" + line + "\n");

    try (MooncakeTrace trace = MooncakeTrace.open(file)) {
      assertThat(trace.next()).isNotNull();
      assertThatThrownBy(trace::next)
          .isInstanceOf(TraceException.class)
          .hasMessageStartingWith("trace [" + file + "] line 2: ")
          .hasMessageContaining(problem);
    }
  }

  @Test
  void next_emptyLine_isAnError() throws IOException {
    try (MooncakeTrace trace = MooncakeTrace.open(write(GOOD + "\n\n" + GOOD))) {
      assertThat(trace.next()).isNotNull();
      assertThatThrownBy(trace::next).hasMessageContaining("line 2: the line is empty");
    }
  }

  @Test
  void next_lineTooLong_isAnErrorBeforeItIsHeldInMemory() throws IOException {
    Path file = write(GOOD + "\n" + " ".repeat(MooncakeTrace.MAX_LINE_BYTES + 1));

    try (MooncakeTrace trace = MooncakeTrace.open(file)) {
      assertThat(trace.next()).isNotNull();
      assertThatThrownBy(trace::next).hasMessageContaining("line 2: the line is longer than");
    }
  }

  @Test
  void write_generatedTrace_readsBackEqual() throws IOException {
    GeneratorSettings settings = GeneratorSettings.conversations(5, 200);
    StringBuilder text = new StringBuilder();
    assertThat(MooncakeTraceWriter.write(new TraceGenerator(settings), text)).isEqualTo(200);

    TraceGenerator expected = new TraceGenerator(settings);
    try (MooncakeTrace trace = MooncakeTrace.open(write(text.toString()))) {
      for (int i = 0; i < 200; i++) {
        assertThat(trace.next()).isEqualTo(expected.next());
      }
      assertThat(trace.next()).isNull();
    }
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.jsonl"), text);
  }
}
