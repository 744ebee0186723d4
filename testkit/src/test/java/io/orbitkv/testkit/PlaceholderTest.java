package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlaceholderTest {
  @Test
  void module_namesItself() {
    assertThat(Placeholder.module()).isEqualTo("io.orbitkv.testkit");
    assertThat(Placeholder.class.getModule().getName()).isEqualTo("io.orbitkv.testkit");
  }
}
