package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import java.util.List;

/**
 * What one rank or shard found of all groups inside one span. Evidence is no promise: a page may be
 * gone by the time it is read, and then the strict read misses.
 *
 * @param namespace the key space that was searched
 * @param startToken start of the span; the engine holds complete valid state there
 * @param endToken end of the span
 * @param groups one entry for each group of the model, in any order
 */
public record BoundaryEvidence(
    Namespace namespace, int startToken, int endToken, List<GroupEvidence> groups) {
  /**
   * @throws IllegalArgumentException when there are more entries than a model can have groups;
   *     everything else is checked against a contract by {@link RecoveryContract#boundaries}
   */
  public BoundaryEvidence {
    if (groups.size() > GroupSpec.MAX_GROUPS) {
      throw new IllegalArgumentException(
          "evidence of ["
              + groups.size()
              + "] groups: a model has at most "
              + GroupSpec.MAX_GROUPS);
    }
    groups = List.copyOf(groups);
  }
}
