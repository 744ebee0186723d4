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

class AzureTraceTest {
  private static final String HEADING = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

  @TempDir Path folder;

  @Test
  void next_rows_giveArrivalsAndLengths() throws IOException {
    Path file =
        write(HEADING + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:47.0000000,100,9\n");

    try (AzureTrace trace = AzureTrace.open(file, 1)) {
      TraceRequest first = trace.next();
      TraceRequest second = trace.next();
      assertThat(first).isNotNull();
      assertThat(second).isNotNull();
      assertThat(first.arrivalNanos()).isZero();
      assertThat(first.inputTokens()).isEqualTo(374);
      assertThat(first.blockIds()).hasSize(6);
      assertThat(second.arrivalNanos()).isEqualTo(319_410_000);
      assertThat(trace.next()).isNull();
    }
  }

  @Test
  void next_sameSeed_makesUpTheSameReuse() throws IOException {
    Path file = write(manyRows());

    List<TraceRequest> once = all(AzureTrace.open(file, 5));
    assertThat(all(AzureTrace.open(file, 5))).isEqualTo(once);
    assertThat(all(AzureTrace.open(file, 6))).isNotEqualTo(once);
  }

  @Test
  void next_madeUpReuse_isThereAndNotTotal() throws IOException {
    try (AzureTrace trace = AzureTrace.open(write(manyRows()), 5)) {
      assertThat(TraceSummary.of(trace, 64).reusableRatio()).isBetween(0.2, 0.8);
    }
  }

  @Test
  void open_otherHeading_isRefused() throws IOException {
    Path file = write("a,b,c\n1,2,3\n");

    assertThatThrownBy(() -> AzureTrace.open(file, 1))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("line 1: the heading is [a,b,c]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2023-11-16 18:15:45.0,374,44 | must not be before the line above
          2023-11-16 18:15:47.0,0,44   | [ContextTokens] is [0]
          2023-11-16 18:15:47.0,5,-1   | [GeneratedTokens] is [-1]
          2023-11-16 18:15:47.0,5      | has [2] cells
          2023-11-16 18:15:47.0,x,1    | not a row
          yesterday,5,1                | not a row
          """)
  void next_badRow_namesFileLineAndProblem(String row, String problem) throws IOException {
    Path file = write(HEADING + "2023-11-16 18:15:46.0,374,44\n" + row + "\n");

    try (AzureTrace trace = AzureTrace.open(file, 1)) {
      assertThat(trace.next()).isNotNull();
      assertThatThrownBy(trace::next)
          .isInstanceOf(TraceException.class)
          .hasMessageStartingWith("trace [" + file + "] line 3: ")
          .hasMessageContaining(problem);
    }
  }

  private static String manyRows() {
    StringBuilder rows = new StringBuilder(HEADING);
    for (int i = 0; i < 2_000; i++) {
      rows.append("2023-11-16 %02d:%02d:%02d.0,".formatted(i / 3600, i / 60 % 60, i % 60))
          .append(200 + i * 7919 % 3000)
          .append(",50\n");
    }
    return rows.toString();
  }

  private static List<TraceRequest> all(TraceSource source) {
    try (source) {
      List<TraceRequest> requests = new ArrayList<>();
      for (TraceRequest one = source.next(); one != null; one = source.next()) {
        requests.add(one);
      }
      return requests;
    }
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.csv"), text);
  }
}
