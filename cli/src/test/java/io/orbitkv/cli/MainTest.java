package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {
  @Test
  void module_namesItself() {
    assertThat(Main.module()).isEqualTo("io.orbitkv.cli");
    assertThat(Main.class.getModule().getName()).isEqualTo("io.orbitkv.cli");
  }
}
