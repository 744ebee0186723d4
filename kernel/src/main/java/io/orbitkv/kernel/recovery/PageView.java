package io.orbitkv.kernel.recovery;

/** What the page table says now about a page. Read only; dispatcher. */
public interface PageView {
  /** Whether a page is complete in all of its slots and can be found. */
  boolean resident(int page);

  /** Who uses a page: a lease that is offered has one reference on each of its pages. */
  int references(int page);

  /** The number of the key space of a page. */
  int domain(int page);

  /** First half of the key of a page. */
  long keyHigh(int page);

  /** Second half of the key of a page. */
  long keyLow(int page);

  /** How many ranks have a run of a page. */
  int ranks(int page);
}
