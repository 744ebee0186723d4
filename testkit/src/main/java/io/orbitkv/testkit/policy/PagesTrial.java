package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.PageEvents.Kind;
import io.orbitkv.api.policy.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The pages of a tier as a retention policy hears of them, one event a call, a millisecond apart.
 * Test thread.
 */
public final class PagesTrial {
  private static final Duration BETWEEN_EVENTS = Duration.ofMillis(1);

  private final PolicyTester tester;
  private final Map<Long, TestPage> resident = new LinkedHashMap<>();

  PagesTrial(PolicyTester tester) {
    this.tester = tester;
  }

  /** Pages of 1 MiB enter, one after another; each is the first of a chain. */
  public PagesTrial insert(long... ids) {
    for (long id : ids) {
      insert(TestPage.of(id));
    }
    return this;
  }

  /** A page enters. */
  public PagesTrial insert(TestPage page) {
    resident.put(page.id(), page);
    event(page, Kind.INSERTED);
    return this;
  }

  /** Foreground requests use the pages, one after another. */
  public PagesTrial use(long... ids) {
    for (long id : ids) {
      TestPage page = page(id);
      page.used(tester.advance(BETWEEN_EVENTS));
      retention().observe(new TestPages().add(page, Kind.USED, page.lastUseNanos()));
    }
    return this;
  }

  /** The pages leave. */
  public PagesTrial remove(long... ids) {
    for (long id : ids) {
      TestPage page = page(id);
      resident.remove(id);
      event(page, Kind.REMOVED);
    }
    return this;
  }

  /** Hands all pages to the policy as on a swap, with values of its own that start at 0. */
  public PagesTrial adopt() {
    resident.values().forEach(page -> page.mark(0));
    tester.policy().adopt(TestPages.of(resident.values()));
    return this;
  }

  /**
   * A page.
   *
   * @throws IllegalArgumentException when it is not there
   */
  public TestPage page(long id) {
    TestPage page = resident.get(id);
    if (page == null) {
      throw new IllegalArgumentException(
          "page [" + id + "] is not there: there are " + resident.keySet());
    }
    return page;
  }

  /** The pages' scores, in the order of the question. */
  public long[] scores(long... ids) {
    List<TestPage> candidates = Arrays.stream(ids).mapToObj(this::page).toList();
    long[] scores = new long[ids.length];
    retention().score(TestPages.of(candidates), scores);
    return scores;
  }

  /**
   * The pages in the order in which they would leave: lowest score first, older use among equals.
   */
  public List<Long> evictionOrder(long... ids) {
    long[] scores = scores(ids);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      order.add(i);
    }
    order.sort(
        Comparator.<Integer>comparingLong(i -> scores[i])
            .thenComparingLong(i -> page(ids[i]).lastUseNanos()));
    return order.stream().map(i -> ids[i]).toList();
  }

  /** All pages in the order in which they would leave. */
  public List<Long> evictionOrder() {
    return evictionOrder(resident.keySet().stream().mapToLong(Long::longValue).toArray());
  }

  /** The pages that are there, oldest first. */
  public List<Long> ids() {
    return Collections.unmodifiableList(new ArrayList<>(resident.keySet()));
  }

  private void event(TestPage page, Kind kind) {
    long now = tester.advance(BETWEEN_EVENTS);
    retention().observe(new TestPages().add(page, kind, now));
  }

  private RetentionPolicy retention() {
    return tester.policy(RetentionPolicy.class);
  }
}
