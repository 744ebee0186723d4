package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PageBatch;
import java.util.List;

/** Pages of a journal as a policy sees them; marks are this copy's own. */
final class RecordedPages implements PageBatch {
  private final List<Inputs.Page> pages;
  private final long[] marks;

  /**
   * A copy.
   *
   * @param withMarks whether the marks are of the policy that is asked now
   */
  RecordedPages(List<Inputs.Page> pages, boolean withMarks) {
    this.pages = pages;
    this.marks = pages.stream().mapToLong(page -> withMarks ? page.mark() : 0).toArray();
  }

  @Override
  public int size() {
    return marks.length;
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
    return Origin.valueOf(pages.get(i).origin());
  }

  @Override
  public long mark(int i) {
    return marks[i];
  }

  @Override
  public void setMark(int i, long value) {
    marks[i] = value;
  }
}
