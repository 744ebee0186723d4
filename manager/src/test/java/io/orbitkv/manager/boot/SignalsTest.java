package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignalsTest {
  @Test
  void firstSignalEndsClean_laterOnesEndAtOnce() {
    List<String> heard = new ArrayList<>();
    try (Signals signals =
        Signals.listen(() -> heard.add("end"), status -> heard.add("halt " + status))) {
      signals.receive(15);
      signals.receive(2);
      signals.receive(15);
    }

    assertThat(heard).containsExactly("end", "halt 130", "halt 143");
  }
}
