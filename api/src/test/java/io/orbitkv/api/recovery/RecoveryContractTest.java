package io.orbitkv.api.recovery;

import static io.orbitkv.api.recovery.Contracts.CHECKPOINT;
import static io.orbitkv.api.recovery.Contracts.MODEL;
import static io.orbitkv.api.recovery.Contracts.PREFIX;
import static io.orbitkv.api.recovery.Contracts.contract;
import static io.orbitkv.api.recovery.Contracts.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecoveryContractTest {
  private static final RecoveryContract HYBRID = contract(64, PREFIX, window(100), CHECKPOINT);

  private static GroupContract group(int id, GroupRule rule, StateComponent... components) {
    return new GroupContract(id, List.of(components), rule);
  }

  private static RecoveryDemand demand(GroupRange... ranges) {
    return new RecoveryDemand(64, 128, 512, List.of(ranges));
  }

  // ---- compiling -------------------------------------------------------------------------------

  @Test
  void component_allowsItsOwnRuleOnly() {
    for (StateComponent component : StateComponent.values()) {
      GroupRule own =
          switch (component) {
            case ATTENTION_KV, MLA -> PREFIX;
            case SLIDING_WINDOW_KV -> window(1);
            case RECURRENT_CHECKPOINT, CONVOLUTION_STATE -> CHECKPOINT;
          };
      for (GroupRule rule : List.of(PREFIX, window(1), CHECKPOINT)) {
        assertThat(component.allows(rule))
            .as("%s by %s", component, rule)
            .isEqualTo(rule.equals(own));
      }
    }
  }

  @Test
  void groupContract_componentThatTheRuleDoesNotRecover_isRefused() {
    assertThatThrownBy(() -> group(1, CHECKPOINT, StateComponent.SLIDING_WINDOW_KV))
        .hasMessageContaining("group [1] holds [SLIDING_WINDOW_KV]");
    assertThatThrownBy(() ->
            group(1, CHECKPOINT, StateComponent.CONVOLUTION_STATE, StateComponent.ATTENTION_KV))
        .hasMessageContaining("group [1] holds [ATTENTION_KV]");
  }

  @Test
  void groupContract_noComponents_isRefused() {
    assertThatThrownBy(() -> group(0, PREFIX)).hasMessageContaining("has no components");
  }

  @Test
  void groupContract_componentNamedTwice_isRefused() {
    assertThatThrownBy(() -> group(0, PREFIX, StateComponent.MLA, StateComponent.MLA))
        .hasMessageContaining("[MLA] twice");
  }

  @Test
  void groupContract_groupZeroThatIsNoPrefix_isRefused() {
    assertThatThrownBy(() -> group(0, window(64), StateComponent.SLIDING_WINDOW_KV))
        .hasMessageContaining("must be a prefix group");
  }

  @Test
  void groupContract_idOutOfRange_isRefused() {
    for (int id : new int[] {-1, GroupSpec.MAX_GROUPS, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> group(id, PREFIX, StateComponent.MLA))
          .hasMessageContaining("group id [" + id + "]");
    }
  }

  @Test
  void groupContract_componentsInAnyOrder_areEqual() {
    assertThat(
            group(
                1,
                CHECKPOINT,
                StateComponent.CONVOLUTION_STATE,
                StateComponent.RECURRENT_CHECKPOINT))
        .isEqualTo(
            group(
                1,
                CHECKPOINT,
                StateComponent.RECURRENT_CHECKPOINT,
                StateComponent.CONVOLUTION_STATE));
  }

  @Test
  void compile_groupsInAnyOrder_areSorted() {
    GroupContract full = group(0, PREFIX, StateComponent.ATTENTION_KV, StateComponent.MLA);
    GroupContract recurrent = group(1, CHECKPOINT, StateComponent.CONVOLUTION_STATE);

    RecoveryContract contract = RecoveryContract.compile(MODEL, 64, List.of(recurrent, full));

    assertThat(contract.groups()).containsExactly(full, recurrent);
    assertThat(contract)
        .isEqualTo(RecoveryContract.compile(MODEL, 64, List.of(full, recurrent)))
        .hasSameHashCodeAs(RecoveryContract.compile(MODEL, 64, List.of(full, recurrent)));
    assertThat(contract.namespace()).isEqualTo(MODEL);
    assertThat(contract.pageTokens()).isEqualTo(64);
  }

  @Test
  void compile_otherModel_isAnotherContract() {
    List<GroupContract> groups = List.of(group(0, PREFIX, StateComponent.MLA));
    RecoveryContract contract = RecoveryContract.compile(MODEL, 64, groups);

    assertThat(contract)
        .isNotEqualTo(RecoveryContract.compile(MODEL, 32, groups))
        .isNotEqualTo(RecoveryContract.compile(Contracts.FOREIGN, 64, groups))
        .isNotEqualTo(contract(64, PREFIX))
        .isNotEqualTo("contract");
    assertThat(contract.toString()).contains("[64] tokens").contains("MLA");
  }

  @Test
  void compile_groupTwice_isRefused() {
    GroupContract full = group(0, PREFIX, StateComponent.MLA);

    assertThatThrownBy(() -> RecoveryContract.compile(MODEL, 64, List.of(full, full)))
        .hasMessageContaining("group [0] is there twice");
  }

  @Test
  void compile_groupLeftOut_isRefused() {
    List<GroupContract> groups =
        List.of(
            group(0, PREFIX, StateComponent.MLA),
            group(2, CHECKPOINT, StateComponent.RECURRENT_CHECKPOINT));

    assertThatThrownBy(() -> RecoveryContract.compile(MODEL, 64, groups))
        .hasMessageContaining("up to group [2]: one is missing");
  }

  @Test
  void compile_noGroups_isRefused() {
    assertThatThrownBy(() -> RecoveryContract.compile(MODEL, 64, List.of()))
        .hasMessageContaining("group 0 must be there");
  }

  @Test
  void compile_pageSizeOutOfRange_isRefused() {
    List<GroupSpec> groups = List.of(new GroupSpec(0, PREFIX));

    for (int tokens : new int[] {Integer.MIN_VALUE, 0, (1 << 20) + 1}) {
      assertThatThrownBy(() -> RecoveryContract.of(MODEL, tokens, groups))
          .hasMessageContaining("page of [" + tokens + "] tokens");
    }
  }

  @Test
  void of_registeredGroups_holdWhatTheirRulesSuggest() {
    assertThat(HYBRID.groups())
        .extracting(GroupContract::components)
        .containsExactly(
            List.of(StateComponent.ATTENTION_KV),
            List.of(StateComponent.SLIDING_WINDOW_KV),
            List.of(StateComponent.RECURRENT_CHECKPOINT));
    assertThat(HYBRID.groups())
        .extracting(GroupContract::spec)
        .containsExactly(
            new GroupSpec(0, PREFIX), new GroupSpec(1, window(100)), new GroupSpec(2, CHECKPOINT));
  }

  // ---- ranges ----------------------------------------------------------------------------------

  @Test
  void requiredRanges_windowOf100Tokens_needsTwoPages() {
    assertThat(contract(64, PREFIX, window(100)).requiredRanges(128, 512))
        .containsExactly(new GroupRange(0, 128, 512), new GroupRange(1, 384, 512));
  }

  @Test
  void requiredRanges_recurrentState_needsTheCheckpoint() {
    assertThat(contract(64, PREFIX, CHECKPOINT).requiredRanges(128, 512))
        .containsExactly(new GroupRange(0, 128, 512), new GroupRange(1, 448, 512));
  }

  @Test
  void requiredRanges_tailShorterThanTheWindow_needsTheTail() {
    assertThat(contract(64, PREFIX, window(100)).requiredRanges(128, 192))
        .containsExactly(new GroupRange(0, 128, 192), new GroupRange(1, 128, 192));
  }

  @Test
  void requiredRanges_emptySpan_needsNothing() {
    assertThat(HYBRID.requiredRanges(128, 128))
        .containsExactly(
            new GroupRange(0, 128, 128), new GroupRange(1, 128, 128), new GroupRange(2, 128, 128));
  }

  @Test
  void requiredRanges_largestWindow_needsTheSpan() {
    assertThat(contract(1, PREFIX, window(Integer.MAX_VALUE)).requiredRanges(0, 1 << 20))
        .containsExactly(new GroupRange(0, 0, 1 << 20), new GroupRange(1, 0, 1 << 20));
  }

  @Test
  void requiredRanges_spanThatIsNone_isRefused() {
    assertThatThrownBy(() -> HYBRID.requiredRanges(-64, 64)).hasMessageContaining("negative");
    assertThatThrownBy(() -> HYBRID.requiredRanges(128, 64)).hasMessageContaining("reversed");
    assertThatThrownBy(() -> HYBRID.requiredRanges(1, 64)).hasMessageContaining("not aligned");
    assertThatThrownBy(() -> HYBRID.requiredRanges(0, 65)).hasMessageContaining("not aligned");
    assertThatThrownBy(() -> contract(1, PREFIX).requiredRanges(0, Integer.MAX_VALUE))
        .hasMessageContaining("[2147483647] pages: at most 1048576");
  }

  // ---- demands ---------------------------------------------------------------------------------

  @Test
  void demand_isWhatTheRegisteredGroupsCompileTo() {
    List<GroupSpec> specs = HYBRID.groups().stream().map(GroupContract::spec).toList();

    assertThat(HYBRID.demand(128, 512)).isEqualTo(RecoveryDemand.compile(64, 128, 512, specs));
  }

  @Test
  void check_ownDemand_isFine() {
    assertThat(HYBRID.check(HYBRID.demand(128, 512))).isNull();
    assertThat(HYBRID.check(HYBRID.demand(64, 64))).isNull();
  }

  @Test
  void check_otherPageSize_isNamed() {
    assertThat(HYBRID.check(contract(32, PREFIX, window(100), CHECKPOINT).demand(128, 512)))
        .contains("pages of [32] tokens: the model's have [64]");
  }

  @Test
  void check_groupLeftOut_isNamed() {
    assertThat(HYBRID.check(demand(new GroupRange(0, 128, 512), new GroupRange(1, 384, 512))))
        .contains("leaves out group [2]");
    assertThat(HYBRID.check(demand(new GroupRange(0, 128, 512), new GroupRange(2, 448, 512))))
        .contains("leaves out group [1]");
  }

  @Test
  void check_groupTooMany_isNamed() {
    assertThat(
            contract(64, PREFIX)
                .check(demand(new GroupRange(0, 128, 512), new GroupRange(7, 448, 512))))
        .contains("has group [7]: the model has only groups 0..0");
  }

  @Test
  void check_rangeShorterOrLongerThanTheRule_isNamed() {
    for (int start : new int[] {448, 320}) {
      assertThat(
              HYBRID.check(
                  demand(
                      new GroupRange(0, 128, 512),
                      new GroupRange(1, start, 512),
                      new GroupRange(2, 448, 512))))
          .contains("group [1] has the range [" + start + ", 512)")
          .contains("needs [384, 512)");
    }
  }

  @Test
  void check_spanTooLarge_isNamed() {
    int end = Integer.MAX_VALUE;
    RecoveryDemand huge = new RecoveryDemand(1, 0, end, List.of(new GroupRange(0, 0, end)));

    assertThat(contract(1, PREFIX).check(huge)).contains("at most 1048576");
  }

  // ---- tokens ----------------------------------------------------------------------------------

  @Test
  void usableTokens_lastTokenIsComputed() {
    assertThat(RecoveryContract.usableTokens(513)).isEqualTo(512);
    assertThat(RecoveryContract.usableTokens(1)).isZero();
    assertThat(RecoveryContract.usableTokens(0)).isZero();
    assertThatThrownBy(() -> RecoveryContract.usableTokens(-1)).hasMessageContaining("[-1]");
  }
}
