package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The complete set of ranges that a selected boundary needs, over all groups of the model. A read
 * that carries a demand is strict: it yields all pages of all ranges or nothing.
 *
 * @param pageTokens tokens in a page
 * @param startToken start of the span; the engine already holds complete valid state there
 * @param endToken the boundary
 * @param ranges one range a group, ascending; each ends at the boundary; group 0 covers the span
 */
public record RecoveryDemand(
    int pageTokens, int startToken, int endToken, List<GroupRange> ranges) {
  /**
   * @throws IllegalArgumentException naming what is not a demand
   */
  public RecoveryDemand {
    ranges = List.copyOf(ranges);
    if (pageTokens <= 0) {
      throw new IllegalArgumentException("page of [" + pageTokens + "] tokens: must be positive");
    }
    if (startToken < 0
        || endToken < startToken
        || startToken % pageTokens != 0
        || endToken % pageTokens != 0) {
      throw new IllegalArgumentException(
          "span ["
              + startToken
              + ", "
              + endToken
              + ") is not aligned to pages of ["
              + pageTokens
              + "] tokens");
    }
    if (ranges.isEmpty()
        || ranges.getFirst().group() != 0
        || ranges.getFirst().startToken() != startToken) {
      throw new IllegalArgumentException("the first range must be group 0 over the whole span");
    }
    int previous = -1;
    for (GroupRange range : ranges) {
      if (range.group() <= previous) {
        throw new IllegalArgumentException(
            "groups must ascend: [" + range.group() + "] after [" + previous + "]");
      }
      previous = range.group();
      boolean inside = range.startToken() >= startToken && range.startToken() % pageTokens == 0;
      boolean empty = range.startToken() == range.endToken();
      if (range.endToken() != endToken || !inside || empty != (startToken == endToken)) {
        throw new IllegalArgumentException(
            "range ["
                + range
                + "] must be aligned, inside the span and end at the boundary ["
                + endToken
                + "]");
      }
    }
  }

  /**
   * The demand that {@code groups} make on the span, by their rules.
   *
   * @param groups all groups of the model, dense from 0
   */
  public static RecoveryDemand compile(
      int pageTokens, int startToken, int endToken, List<GroupSpec> groups) {
    List<GroupRange> ranges = new ArrayList<>(groups.size());
    int span = (endToken - startToken) / pageTokens;
    for (GroupSpec group : groups) {
      int pages = group.rule().requiredPages(span, pageTokens);
      ranges.add(new GroupRange(group.id(), endToken - pages * pageTokens, endToken));
    }
    return new RecoveryDemand(pageTokens, startToken, endToken, ranges);
  }
}
