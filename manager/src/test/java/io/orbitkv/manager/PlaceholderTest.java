package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlaceholderTest {
  @Test
  void module_namesItself() {
    assertThat(Placeholder.module()).isEqualTo("io.orbitkv.manager");
    assertThat(Placeholder.class.getModule().getName()).isEqualTo("io.orbitkv.manager");
  }
}
