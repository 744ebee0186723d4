package io.orbitkv.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlaceholderTest {
  @Test
  void module_namesItself() {
    assertThat(Placeholder.module()).isEqualTo("io.orbitkv.workload");
    assertThat(Placeholder.class.getModule().getName()).isEqualTo("io.orbitkv.workload");
  }
}
