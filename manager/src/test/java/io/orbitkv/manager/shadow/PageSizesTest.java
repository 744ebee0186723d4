package io.orbitkv.manager.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.kernel.Command;
import org.junit.jupiter.api.Test;

class PageSizesTest {
  private final PageSizes sizes = new PageSizes();

  @Test
  void of_attachedInstance_isWhatItsSchedulerWasTold() {
    assertThat(sizes.of(3)).isNull();

    sizes.attached(attached(3, 1, 4096));
    assertThat(sizes.of(3)).isEqualTo(4096);

    sizes.attached(attached(3, 2, 8192));
    assertThat(sizes.of(3)).isEqualTo(8192);
  }

  @Test
  void registered_withoutItsRegistration_isNothing() {
    sizes.registered(new Command.Registered(1, 1, 3, 1, true));

    assertThat(sizes.of(3)).isNull();
  }

  @Test
  void of_moreInstancesThanAreKept_theOldestAreForgotten() {
    for (int instance = 0; instance <= 8192; instance++) {
      sizes.attached(attached(instance, 1, 64));
    }

    assertThat(sizes.of(0)).isNull();
    assertThat(sizes.of(8192)).isEqualTo(64);
  }

  private static Command.Attached attached(int instance, long generation, long bytes) {
    return new Command.Attached(1, 1, instance, generation, 1, 64, new long[] {bytes});
  }
}
