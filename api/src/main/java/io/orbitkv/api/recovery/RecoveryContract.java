package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a model must have back before it can go on from a boundary: compiled once per model, then
 * asked for ranges, demands and legal boundaries. Immutable; may be used by any thread.
 *
 * <p>A boundary is a page end from which the engine can go on. The way to one: find out which pages
 * each group has on each rank ({@link #evidence}), compute the legal boundaries of each rank
 * ({@link #boundaries}), intersect them ({@link Boundaries#intersection}), take the largest one
 * that the engine can use ({@link Boundaries#largestWithin}) and read exactly its ranges ({@link
 * #demand}).
 *
 * <p>The contract says nothing about the start of a span: the engine must hold complete valid state
 * of all groups there already.
 *
 * <p>Everything takes time linear in the pages that are named, and at most {@link #MAX_SPAN_PAGES}
 * of them a group.
 */
public final class RecoveryContract {
  /** Most pages in one span. */
  public static final int MAX_SPAN_PAGES = 1 << 20;

  /** Most tokens in one page. */
  public static final int MAX_PAGE_TOKENS = 1 << 20;

  private final Namespace namespace;
  private final int pageTokens;
  private final List<GroupContract> groups;

  /** Pages that each group needs before a boundary, where the span has so many. */
  private final int[] neededPages;

  private RecoveryContract(Namespace namespace, int pageTokens, List<GroupContract> groups) {
    this.namespace = namespace;
    this.pageTokens = pageTokens;
    this.groups = groups;
    this.neededPages = new int[groups.size()];
    for (int group = 0; group < neededPages.length; group++) {
      GroupRule rule = groups.get(group).rule();
      neededPages[group] = rule.requiredPages(Integer.MAX_VALUE, pageTokens);
    }
  }

  /**
   * Compiles a contract.
   *
   * @param namespace the key space of the model's pages
   * @param pageTokens tokens in a page
   * @param groups all groups of the model, in any order
   * @throws IllegalArgumentException when the page size is out of range, there is no group, or the
   *     groups are not each of 0..n − 1 once
   */
  public static RecoveryContract compile(
      Namespace namespace, int pageTokens, List<GroupContract> groups) {
    if (pageTokens < 1 || pageTokens > MAX_PAGE_TOKENS) {
      throw new IllegalArgumentException(
          "page of [" + pageTokens + "] tokens: must be 1.." + MAX_PAGE_TOKENS);
    }
    if (groups.isEmpty()) {
      throw new IllegalArgumentException("a contract of no groups: group 0 must be there");
    }
    Set<Integer> seen = new HashSet<>();
    for (GroupContract group : groups) {
      // An id is below GroupSpec.MAX_GROUPS, so that a long list ends here soon.
      if (!seen.add(group.group())) {
        throw new IllegalArgumentException("group [" + group.group() + "] is there twice");
      }
    }
    List<GroupContract> sorted = new ArrayList<>(groups);
    sorted.sort(Comparator.comparingInt(GroupContract::group));
    if (sorted.getLast().group() != sorted.size() - 1) {
      throw new IllegalArgumentException(
          "["
              + sorted.size()
              + "] groups up to group ["
              + sorted.getLast().group()
              + "]: one is"
              + " missing, groups must be dense from 0");
    }
    return new RecoveryContract(namespace, pageTokens, List.copyOf(sorted));
  }

  /**
   * The contract of registered groups, which name no components: each is taken to hold what its
   * rule suggests.
   *
   * @param groups all groups of the model
   * @throws IllegalArgumentException as {@link #compile}
   */
  public static RecoveryContract of(Namespace namespace, int pageTokens, List<GroupSpec> groups) {
    return compile(namespace, pageTokens, groups.stream().map(GroupContract::of).toList());
  }

  /** The key space of the model's pages. */
  public Namespace namespace() {
    return namespace;
  }

  /** Tokens in a page. */
  public int pageTokens() {
    return pageTokens;
  }

  /** The groups, from 0. */
  public List<GroupContract> groups() {
    return groups;
  }

  /**
   * Tokens of a prompt that may come from a cache: all but the last one, which must be computed for
   * its logits.
   *
   * @throws IllegalArgumentException when {@code promptTokens} is negative
   */
  public static int usableTokens(int promptTokens) {
    if (promptTokens < 0) {
      throw new IllegalArgumentException("prompt of [" + promptTokens + "] tokens");
    }
    return Math.max(0, promptTokens - 1);
  }

  /**
   * The range of each group that must be present so that {@code endToken} is a boundary: its last
   * pages, as many as its rule needs or as the span has. An empty span gives empty ranges.
   *
   * @throws IllegalArgumentException when the span is negative, reversed, not aligned to pages or
   *     larger than {@link #MAX_SPAN_PAGES}
   */
  public List<GroupRange> requiredRanges(int startToken, int endToken) {
    requireSpan(startToken, endToken);
    List<GroupRange> ranges = new ArrayList<>(neededPages.length);
    for (int group = 0; group < neededPages.length; group++) {
      ranges.add(new GroupRange(group, rangeStart(group, startToken, endToken), endToken));
    }
    return List.copyOf(ranges);
  }

  /**
   * The demand of a boundary.
   *
   * @throws IllegalArgumentException as {@link #requiredRanges}
   */
  public RecoveryDemand demand(int startToken, int endToken) {
    return new RecoveryDemand(
        pageTokens, startToken, endToken, requiredRanges(startToken, endToken));
  }

  /**
   * Why a demand that a client sent is not this contract's, as a sentence; null when it is. A
   * demand that leaves out a group, or asks for fewer pages than a rule needs, would make a model
   * go on from a state it does not have.
   */
  public @Nullable String check(RecoveryDemand demand) {
    if (demand.pageTokens() != pageTokens) {
      return "the demand has pages of ["
          + demand.pageTokens()
          + "] tokens: the model's have ["
          + pageTokens
          + "]";
    }
    String span = spanProblem(demand.startToken(), demand.endToken());
    if (span != null) {
      return span;
    }
    List<GroupRange> ranges = demand.ranges();
    for (int group = 0; group < neededPages.length; group++) {
      // Groups of a demand ascend, so that the first one missing shows in its place.
      if (group >= ranges.size() || ranges.get(group).group() != group) {
        return "the demand leaves out group [" + group + "]: all groups of the model must be there";
      }
      int start = rangeStart(group, demand.startToken(), demand.endToken());
      if (ranges.get(group).startToken() != start) {
        return "group ["
            + group
            + "] has the range ["
            + ranges.get(group).startToken()
            + ", "
            + demand.endToken()
            + "): its rule ["
            + groups.get(group).rule()
            + "] needs ["
            + start
            + ", "
            + demand.endToken()
            + ")";
      }
    }
    if (ranges.size() > neededPages.length) {
      return "the demand has group ["
          + ranges.get(neededPages.length).group()
          + "]: the model has only groups 0.."
          + (neededPages.length - 1);
    }
    return null;
  }

  /**
   * Evidence from the answer to a discovery: places in each group's part of the question, which
   * asked for all pages of the span.
   *
   * @param groups the groups that were asked for
   * @param pagesOfGroup how many positions each group has
   * @param positions the positions, one group after another
   * @throws IllegalArgumentException when the span is not one, the counts do not add up or a
   *     position is outside the span
   */
  public BoundaryEvidence evidence(
      int startToken, int endToken, int[] groups, int[] pagesOfGroup, int[] positions) {
    requireSpan(startToken, endToken);
    if (groups.length != pagesOfGroup.length) {
      throw new IllegalArgumentException(
          "[" + groups.length + "] groups with [" + pagesOfGroup.length + "] counts");
    }
    int spanPages = (endToken - startToken) / pageTokens;
    List<GroupEvidence> evidence = new ArrayList<>(groups.length);
    int from = 0;
    for (int i = 0; i < groups.length; i++) {
      int count = pagesOfGroup[i];
      if (count < 0 || count > positions.length - from) {
        throw new IllegalArgumentException(
            "["
                + count
                + "] positions of group ["
                + groups[i]
                + "]: ["
                + (positions.length - from)
                + "] are left");
      }
      int[] ends = new int[count];
      for (int j = 0; j < count; j++) {
        int position = positions[from + j];
        if (position < 0 || position >= spanPages) {
          throw new IllegalArgumentException(
              "position ["
                  + position
                  + "] of group ["
                  + groups[i]
                  + "] is outside the ["
                  + spanPages
                  + "] pages of the span");
        }
        ends[j] = startToken + (position + 1) * pageTokens;
      }
      evidence.add(new GroupEvidence(groups[i], ends));
      from += count;
    }
    if (from != positions.length) {
      throw new IllegalArgumentException(
          "[" + (positions.length - from) + "] positions belong to no group");
    }
    return new BoundaryEvidence(namespace, startToken, endToken, evidence);
  }

  /**
   * All legal boundaries of a span: the page ends up to which group 0 has every page from the
   * start, and before which every other group has all pages that its rule needs. The start itself
   * is no boundary, so that an empty span has none.
   *
   * @param evidence what one rank or shard found; checked
   * @throws IllegalArgumentException when the evidence is of another namespace, its span is
   *     negative, reversed, not aligned or too large, a group is unknown, missing or there twice,
   *     or a page end is not aligned, not in strict order or outside the span
   */
  public Boundaries boundaries(BoundaryEvidence evidence) {
    if (!evidence.namespace().equals(namespace)) {
      throw new IllegalArgumentException(
          "evidence of the namespace ["
              + evidence.namespace().digest()
              + "]: the model's is ["
              + namespace.digest()
              + "]");
    }
    int start = evidence.startToken();
    int end = evidence.endToken();
    requireSpan(start, end);
    int[][] endsOfGroup = endsOfGroup(evidence);
    int[] legal = new int[(end - start) / pageTokens];
    int count = recoverable(0, start, endsOfGroup[0], legal);
    int[] candidates = new int[legal.length];
    for (int group = 1; group < neededPages.length; group++) {
      int found = recoverable(group, start, endsOfGroup[group], candidates);
      count = Boundaries.keepCommon(legal, count, candidates, found, legal);
    }
    return new Boundaries(this, start, end, Arrays.copyOf(legal, count));
  }

  /** The checked page ends of each group. */
  private int[][] endsOfGroup(BoundaryEvidence evidence) {
    int[][] endsOfGroup = new int[neededPages.length][];
    for (GroupEvidence group : evidence.groups()) {
      int id = group.group();
      if (id < 0 || id >= endsOfGroup.length) {
        throw new IllegalArgumentException(
            "evidence of the unknown group ["
                + id
                + "]: the model has groups 0.."
                + (endsOfGroup.length - 1));
      }
      if (endsOfGroup[id] != null) {
        throw new IllegalArgumentException("evidence of group [" + id + "] is there twice");
      }
      requireEnds(
          "page end of group [" + id + "]",
          evidence.startToken(),
          evidence.endToken(),
          group.pageEnds());
      endsOfGroup[id] = group.pageEnds();
    }
    for (int id = 0; id < endsOfGroup.length; id++) {
      if (endsOfGroup[id] == null) {
        throw new IllegalArgumentException(
            "evidence of group [" + id + "] is missing: a group that has no page says so");
      }
    }
    return endsOfGroup;
  }

  /**
   * Writes the page ends from which a group alone can go on to {@code target} and returns their
   * number.
   */
  private int recoverable(int group, int start, int[] ends, int[] target) {
    int count = 0;
    int unbroken = 0;
    int previous = start;
    for (int end : ends) {
      unbroken = end - previous == pageTokens ? unbroken + 1 : 1;
      previous = end;
      if (unbroken >= Math.min(neededPages[group], (end - start) / pageTokens)) {
        target[count++] = end;
      }
    }
    return count;
  }

  private int rangeStart(int group, int startToken, int endToken) {
    int pages = Math.min(neededPages[group], (endToken - startToken) / pageTokens);
    return endToken - pages * pageTokens;
  }

  private @Nullable String spanProblem(int startToken, int endToken) {
    String span = "span [" + startToken + ", " + endToken + ")";
    if (startToken < 0 || endToken < startToken) {
      return span + " is negative or reversed";
    }
    if (startToken % pageTokens != 0 || endToken % pageTokens != 0) {
      return span + " is not aligned to pages of [" + pageTokens + "] tokens";
    }
    int pages = (endToken - startToken) / pageTokens;
    return pages > MAX_SPAN_PAGES
        ? span + " has [" + pages + "] pages: at most " + MAX_SPAN_PAGES + " are allowed"
        : null;
  }

  void requireSpan(int startToken, int endToken) {
    String problem = spanProblem(startToken, endToken);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  void requireEnds(String what, int startToken, int endToken, int[] ends) {
    int previous = startToken;
    for (int end : ends) {
      if (end <= startToken || end > endToken) {
        throw new IllegalArgumentException(
            what + " [" + end + "] is outside the span [" + startToken + ", " + endToken + ")");
      }
      if (end % pageTokens != 0) {
        throw new IllegalArgumentException(
            what + " [" + end + "] is not aligned to pages of [" + pageTokens + "] tokens");
      }
      if (end <= previous) {
        throw new IllegalArgumentException(
            what + " [" + end + "] after [" + previous + "]: must be sorted and unique");
      }
      previous = end;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecoveryContract that
        && pageTokens == that.pageTokens
        && namespace.equals(that.namespace)
        && groups.equals(that.groups);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * namespace.hashCode() + pageTokens) + groups.hashCode();
  }

  @Override
  public String toString() {
    return "contract of ["
        + namespace.digest()
        + "], pages of ["
        + pageTokens
        + "] tokens, "
        + groups;
  }
}
