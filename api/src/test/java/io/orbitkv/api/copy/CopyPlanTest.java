package io.orbitkv.api.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
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
    assertThatThrownBy(() -> new CudaIpc.Allocation("00".repeat(63), 0, 1))
        .hasMessageContaining("[126] hexadecimal digits");
    assertThatThrownBy(() -> new CudaIpc.Allocation("zz".repeat(64), 0, 1))
        .hasMessageContaining("not hexadecimal");
    assertThatThrownBy(() -> new CudaIpc("GPU-0", List.of(allocation("0a", 0, 1)), List.of("00")))
        .hasMessageContaining("an event has [2] hexadecimal digits");
  }

  @Test
  void cudaIpc_allocations_areOneLineOfBytes() {
    CudaIpc memory =
        new CudaIpc("GPU-0", List.of(allocation("0a", 8, 100), allocation("0b", 0, 20)), List.of());

    assertThat(memory.bytes()).isEqualTo(120);
  }

  @Test
  void cudaIpc_allocationListedTwice_isRefused() {
    assertThatThrownBy(() ->
            new CudaIpc(
                "GPU-0", List.of(allocation("0a", 8, 1), allocation("0A", 0, 1)), List.of()))
        .hasMessageContaining("is listed twice");
  }

  @Test
  void cudaIpc_withoutAllocationsOrBeyond64Bits_isRefused() {
    assertThatThrownBy(() -> new CudaIpc("GPU-0", List.of(), List.of()))
        .hasMessageContaining("[0] allocations");
    assertThatThrownBy(() ->
            new CudaIpc(
                "GPU-0",
                List.of(allocation("0a", 0, Long.MAX_VALUE), allocation("0b", 0, 1)),
                List.of()))
        .hasMessageContaining("overflow");
    assertThatThrownBy(() -> allocation("0a", -1, 1)).hasMessageContaining("from byte [-1]");
  }

  private static CudaIpc.Allocation allocation(String digits, long offset, long bytes) {
    return new CudaIpc.Allocation(digits.repeat(64), offset, bytes);
  }
}
