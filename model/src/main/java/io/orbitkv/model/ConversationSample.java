package io.orbitkv.model;

/**
 * Which conversations a miniature sees: a share of them, each whole or not at all. Drawn apart from
 * the number in [0, 1) that policies see of a conversation: of that one all values occur in the
 * sample as often as outside of it. Immutable.
 *
 * @param share of the conversations, above 0 and at most 1
 * @param salt another one takes other conversations
 */
public record ConversationSample(double share, long salt) {
  /** Checks the share. */
  public ConversationSample {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "a sample of [" + share + "]: must be above 0 and at most 1");
    }
  }

  /**
   * Whether it takes a conversation.
   *
   * @param unitHash of the conversation
   */
  public boolean takes(double unitHash) {
    long drawn = ModelTrace.mix(Double.doubleToLongBits(unitHash) ^ ModelTrace.mix(salt));
    return (drawn >>> 11) * 0x1.0p-53 < share;
  }
}
