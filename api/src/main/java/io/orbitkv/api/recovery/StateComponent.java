package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupRule;

/**
 * What the pages of a group hold. The component decides which recovery rule is sound: half of an
 * attention prefix is as useless as the window of a recurrent state.
 */
public enum StateComponent {
  /** Keys and values of full attention (MHA, MQA, GQA). */
  ATTENTION_KV,
  /** The compressed latent of multi-head latent attention. */
  MLA,
  /** Keys and values of sliding-window attention. */
  SLIDING_WINDOW_KV,
  /** The temporal state of a recurrent layer as it was at the end of the page. */
  RECURRENT_CHECKPOINT,
  /** The convolution state of a recurrent layer as it was at the end of the page. */
  CONVOLUTION_STATE;

  /** Whether a group that holds this component can be recovered by a rule. */
  public boolean allows(GroupRule rule) {
    return switch (this) {
      case ATTENTION_KV, MLA -> rule instanceof GroupRule.Prefix;
      case SLIDING_WINDOW_KV -> rule instanceof GroupRule.Window;
      case RECURRENT_CHECKPOINT, CONVOLUTION_STATE -> rule instanceof GroupRule.Checkpoint;
    };
  }

  /**
   * The component that a rule alone suggests; what a group holds whose registration names no
   * components.
   */
  static StateComponent suggestedBy(GroupRule rule) {
    return switch (rule) {
      case GroupRule.Prefix() -> ATTENTION_KV;
      case GroupRule.Window(int tokens) -> SLIDING_WINDOW_KV;
      case GroupRule.Checkpoint() -> RECURRENT_CHECKPOINT;
    };
  }
}
