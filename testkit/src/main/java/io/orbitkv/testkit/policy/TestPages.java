package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import java.util.ArrayList;
import java.util.List;

/** Pages as a policy sees them, with or without what happened to them. Test thread. */
public final class TestPages implements PageBatch, PageEvents {
  private final List<TestPage> pages = new ArrayList<>();
  private final List<Kind> kinds = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();

  /** None yet. */
  public TestPages() {}

  /** These pages, as candidates. */
  public static TestPages of(Iterable<TestPage> candidates) {
    TestPages batch = new TestPages();
    candidates.forEach(page -> batch.add(page, Kind.INSERTED, 0));
    return batch;
  }

  /** Adds an event. */
  public TestPages add(TestPage page, Kind kind, long nanoTime) {
    pages.add(page);
    kinds.add(kind);
    times.add(nanoTime);
    return this;
  }

  /** Empties the batch, to be filled again. */
  public void clear() {
    pages.clear();
    kinds.clear();
    times.clear();
  }

  @Override
  public PageBatch pages() {
    return this;
  }

  @Override
  public Kind kind(int i) {
    return kinds.get(i);
  }

  @Override
  public long nanoTime(int i) {
    return times.get(i);
  }

  @Override
  public int size() {
    return pages.size();
  }

  @Override
  public long id(int i) {
    return pages.get(i).id();
  }

  @Override
  public long parent(int i) {
    return pages.get(i).parent();
  }

  @Override
  public int depth(int i) {
    return pages.get(i).depth();
  }

  @Override
  public int children(int i) {
    return pages.get(i).children();
  }

  @Override
  public long bytes(int i) {
    return pages.get(i).bytes();
  }

  @Override
  public long lastUseNanos(int i) {
    return pages.get(i).lastUseNanos();
  }

  @Override
  public long uses(int i) {
    return pages.get(i).uses();
  }

  @Override
  public Origin origin(int i) {
    return pages.get(i).origin();
  }

  @Override
  public long mark(int i) {
    return pages.get(i).mark();
  }

  @Override
  public void setMark(int i, long value) {
    pages.get(i).mark(value);
  }
}
