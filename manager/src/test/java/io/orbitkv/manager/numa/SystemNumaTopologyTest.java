package io.orbitkv.manager.numa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemNumaTopologyTest {
  @TempDir Path folder;
  private final List<String> bound = new ArrayList<>();
  private MemoryBinder.Outcome outcome = new MemoryBinder.Outcome.Bound();

  @Test
  void nodesWithMemory_areReadAsTheSystemListsThem() throws Exception {
    Files.writeString(folder.resolve("online"), "0-7\n");
    Files.writeString(folder.resolve("has_memory"), "0,2-3\n");
    assertThat(SystemNumaTopology.read(folder)).containsExactly(0, 2, 3);
  }

  @Test
  void absentOrMalformedList_isOneNode() throws Exception {
    assertThat(SystemNumaTopology.read(folder.resolve("absent"))).containsExactly(0);
    Files.writeString(folder.resolve("has_memory"), "3-1");
    assertThat(SystemNumaTopology.read(folder)).containsExactly(0);
    Files.writeString(folder.resolve("has_memory"), "x");
    assertThat(SystemNumaTopology.read(folder)).containsExactly(0);
  }

  @Test
  void thisMachine_hasANode() {
    assertThat(SystemNumaTopology.detect().nodes()).isNotEmpty();
  }

  @Test
  void bind_onSeveralNodes_asksTheSystem() {
    topology(0, 1).bind(4096, 8192, 1);
    assertThat(bound).containsExactly("4096 8192 1");
  }

  @Test
  void bind_onOneNode_asksNobody() {
    topology(0).bind(4096, 8192, 0);
    assertThat(bound).isEmpty();
  }

  @Test
  void bindThatIsNotPermitted_leavesTheMemoryUnbound() {
    outcome = new MemoryBinder.Outcome.NotPermitted("error 1");
    SystemNumaTopology topology = topology(0, 1);
    topology.bind(4096, 8192, 1);
    topology.bind(12288, 8192, 1);
    assertThat(bound).hasSize(2);
  }

  @Test
  void bindThatIsRefused_failsWithTheReason() {
    outcome = new MemoryBinder.Outcome.Refused("error 22");
    assertThatThrownBy(() -> topology(0, 1).bind(4096, 8192, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("error 22");
    assertThatThrownBy(() -> topology(0, 1).bind(4096, 8192, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void systemsOwnBinder_answersInsteadOfFailing() {
    // Address 0 is nobody's: a system that may bind says that the range is wrong.
    assertThat(new LinuxMemoryBinder().bind(0, 4096, 0))
        .isNotInstanceOf(MemoryBinder.Outcome.Bound.class);
  }

  private SystemNumaTopology topology(Integer... nodes) {
    return new SystemNumaTopology(
        List.of(nodes),
        (address, bytes, node) -> {
          bound.add(address + " " + bytes + " " + node);
          return outcome;
        });
  }
}
