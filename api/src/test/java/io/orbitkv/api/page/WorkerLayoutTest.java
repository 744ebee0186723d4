package io.orbitkv.api.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerLayoutTest {
  private static final GroupSpec FULL = new GroupSpec(0, new GroupRule.Prefix());
  private static final GroupSpec WINDOW = new GroupSpec(1, new GroupRule.Window(100));

  private static LayerLayout layer(String name, int group) {
    return new LayerLayout(name, group, 64, 4, 100, 1, 0, 100);
  }

  @Test
  void slots_twoGroups_areOrderedByGroup() {
    WorkerLayout layout =
        new WorkerLayout(
            0, 1, 64, -1, List.of(FULL, WINDOW), List.of(layer("b", 1), layer("a", 0)));

    assertThat(layout.slots()).extracting(SlotLayout::group).containsExactly(0, 1);
    assertThat(layout.deviceBytes()).isEqualTo(464);
  }

  @Test
  void constructor_layerDeclaredTwice_namesIt() {
    assertThatThrownBy(() ->
            new WorkerLayout(0, 1, 64, -1, List.of(FULL), List.of(layer("a", 0), layer("a", 0))))
        .hasMessageContaining("layer [a] is declared twice");
  }

  @Test
  void constructor_rankOutsideTheWorld_isRefused() {
    assertThatThrownBy(() -> new WorkerLayout(2, 2, 64, -1, List.of(FULL), List.of(layer("a", 0))))
        .hasMessageContaining("rank [2] is outside 0..1");
  }

  @Test
  void constructor_groupWithoutDeclaration_isRefused() {
    assertThatThrownBy(() ->
            new WorkerLayout(0, 1, 64, -1, List.of(FULL), List.of(layer("a", 0), layer("b", 3))))
        .hasMessageContaining("group [3], which is not declared");
  }

  @Test
  void constructor_gapInTheGroups_isRefused() {
    GroupSpec gap = new GroupSpec(2, new GroupRule.Checkpoint());

    assertThatThrownBy(
            () -> new WorkerLayout(0, 1, 64, -1, List.of(FULL, gap), List.of(layer("a", 0))))
        .hasMessageContaining("dense from 0");
  }

  @Test
  void groupSpec_groupZeroWithoutPrefix_isRefused() {
    assertThatThrownBy(() -> new GroupSpec(0, new GroupRule.Checkpoint()))
        .hasMessageContaining("must be a prefix");
  }

  @Test
  void namespace_notADigest_isRefused() {
    assertThatThrownBy(() -> new Namespace("abc")).hasMessageContaining("namespace [abc]");
    assertThat(new Namespace("AB".repeat(32)).digest()).isEqualTo("ab".repeat(32));
  }
}
