package io.orbitkv.manager.policy;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How much of the decisions is kept.
 *
 * @param decisions that memory holds; older ones are overwritten
 * @param sample of how many decisions one keeps its inputs
 * @param file where those with inputs go, a JSON object a line; null for nowhere
 * @param maxFileBytes at which the file is put aside and a new one begins; the one put aside before
 *     is gone then
 */
public record JournalSettings(int decisions, int sample, @Nullable Path file, long maxFileBytes) {
  /** Without a configuration. */
  public static final JournalSettings DEFAULT = new JournalSettings(65_536, 16, null, 64L << 20);
}
