package io.orbitkv.api.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class CopyPlanTest {
  private static final SlotLayout SLOT =
      SlotLayout.of(0, List.of(new LayerLayout("a", 0, 0, 4, 100, 2, 400, 100)));

  private static CopyPlan plan(long[] addresses, int[] pages) {
    return new CopyPlan(
        1,
        () -> {},
        SLOT,
        CopyPlan.Direction.HOST_TO_DEVICE,
        false,
        CopyPlan.NO_EVENT,
        addresses,
        pages);
  }

  @Test
  void bytes_countsPayloadOnly() {
    assertThat(plan(new long[] {4096, 8192}, new int[] {0, 3}).bytes()).isEqualTo(400);
  }

  @Test
  void constructor_unequalSides_isRefused() {
    assertThatThrownBy(() -> plan(new long[] {4096}, new int[] {0, 1}))
        .hasMessageContaining("pairs [1] runs with [2]");
    assertThatThrownBy(() -> plan(new long[0], new int[0])).hasMessageContaining("pairs [0] runs");
  }

  @Test
  void cudaIpc_handleOfAnotherLength_isRefused() {
    assertThatThrownBy(() -> new DeviceMemoryDescriptor.CudaIpc(new byte[63], 0, 1, "GPU-0"))
        .hasMessageContaining("64 bytes, not [63]");
  }

  @Test
  void cudaIpc_equalContent_isEqual() {
    DeviceMemoryDescriptor one = new DeviceMemoryDescriptor.CudaIpc(new byte[64], 8, 1, "GPU-0");

    assertThat(one).isEqualTo(new DeviceMemoryDescriptor.CudaIpc(new byte[64], 8, 1, "GPU-0"));
    assertThat(one)
        .hasSameHashCodeAs(new DeviceMemoryDescriptor.CudaIpc(new byte[64], 8, 1, "GPU-0"));
  }
}
