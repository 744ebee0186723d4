package io.orbitkv.kernel.recovery;

import java.util.ArrayList;
import java.util.List;

/** A page table that can be made to say anything. */
final class FakePageView implements PageView {
  /** What is said of one page. */
  static final class Page {
    boolean resident = true;
    int references = 1;
    int domain;
    long keyHigh;
    long keyLow;
    int ranks;
  }

  private final List<Page> pages = new ArrayList<>();

  /** Adds a complete page with one reference and returns its number. */
  int add(int domain, long keyHigh, long keyLow, int ranks) {
    Page page = new Page();
    page.domain = domain;
    page.keyHigh = keyHigh;
    page.keyLow = keyLow;
    page.ranks = ranks;
    pages.add(page);
    return pages.size() - 1;
  }

  Page page(int number) {
    return pages.get(number);
  }

  @Override
  public boolean resident(int page) {
    return page(page).resident;
  }

  @Override
  public int references(int page) {
    return page(page).references;
  }

  @Override
  public int domain(int page) {
    return page(page).domain;
  }

  @Override
  public long keyHigh(int page) {
    return page(page).keyHigh;
  }

  @Override
  public long keyLow(int page) {
    return page(page).keyLow;
  }

  @Override
  public int ranks(int page) {
    return page(page).ranks;
  }
}
