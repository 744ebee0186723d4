package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import java.util.ArrayList;
import java.util.List;

/** Which page is where: table, index and segments kept in step, with their sums. */
final class Catalog {
  final PageTable pages = new PageTable();
  final Namespaces namespaces = new Namespaces();
  final List<Segment> segments = new ArrayList<>();

  private final PageIndex index = new PageIndex(pages);
  private long findable;
  private long liveBytes;
  private long clock;
  private long lastGeneration;

  Catalog(Layout layout) {
    for (int i = 0; i < layout.segments(); i++) {
      segments.add(new Segment(i));
    }
  }

  /** The page of any state that the index has, or {@link PageTable#NONE}. */
  int find(StoredKey key) {
    int namespace = namespaces.find(key.namespace());
    return namespace == Namespaces.NONE
        ? PageTable.NONE
        : index.find(namespace, key.group(), key.key().high(), key.key().low());
  }

  /** The page with the same identity as one that is not in the index itself. */
  int findLike(int page) {
    return index.find(
        pages.namespace(page), pages.group(page), pages.keyHigh(page), pages.keyLow(page));
  }

  StoredKey key(int page) {
    return new StoredKey(
        namespaces.get(pages.namespace(page)),
        pages.group(page),
        new PageKey(pages.keyHigh(page), pages.keyLow(page)));
  }

  Segment segment(int page) {
    return segments.get(pages.segment(page));
  }

  /** A page that is about to be written. Its identity must not be in the index. */
  int create(StoredKey key, Namespace scope, int blocks, int payloadBytes, int layout) {
    int page = pages.allocate();
    setNamespace(page, namespaces.intern(key.namespace(), scope));
    pages.setIdentity(page, key.group(), key.key().high(), key.key().low());
    pages.setShape(page, blocks, payloadBytes, layout);
    pages.setState(page, PageTable.WRITING);
    index.add(page);
    return page;
  }

  /** A page of the same identity and shape, for a copy that is about to be written. */
  int createCopy(int original) {
    int page = pages.allocate();
    setNamespace(page, pages.namespace(original));
    pages.setIdentity(page, pages.group(original), pages.keyHigh(original), pages.keyLow(original));
    pages.setShape(
        page, pages.blocks(original), pages.payloadBytes(original), pages.layout(original));
    pages.setScore(page, pages.score(original));
    pages.setState(page, PageTable.COPY);
    return page;
  }

  void setNamespace(int page, int namespace) {
    pages.setNamespace(page, namespace);
    namespaces.retain(namespace);
  }

  /** A recovered page, filled in except for its place. Its identity must not be in the index. */
  void addRecovered(int page, Segment segment, int block) {
    pages.setPlace(page, segment.number, block);
    lastGeneration = Math.max(lastGeneration, pages.generation(page));
    pages.setState(page, PageTable.WRITING);
    index.add(page);
    accept(page);
  }

  /** Gives back a page that was filled in and never added. */
  void discard(int page) {
    lastGeneration = Math.max(lastGeneration, pages.generation(page));
    namespaces.release(pages.namespace(page));
    pages.free(page);
  }

  /** Says where a page is being written. */
  void place(int page, Segment segment, int block) {
    pages.setPlace(page, segment.number, block);
    pages.setGeneration(page, ++lastGeneration);
  }

  /** A page, or a copy, is on the device. */
  void accept(int page) {
    if (pages.state(page) == PageTable.WRITING) {
      pages.setState(page, PageTable.STORED);
      pages.setScore(page, ++clock);
      findable++;
      liveBytes += pages.payloadBytes(page);
    }
    Segment segment = segment(page);
    pages.setLinks(page, PageTable.NONE, segment.firstPage);
    if (segment.firstPage != PageTable.NONE) {
      pages.setPrevious(segment.firstPage, page);
    }
    segment.firstPage = page;
    segment.pages++;
    weigh(page, segment, 1);
  }

  /** Removes a page of any state. A copy is told by {@code accepted} whether it is linked. */
  void remove(int page, boolean accepted) {
    int state = pages.state(page);
    if (state != PageTable.COPY) {
      index.remove(page);
    }
    if (state == PageTable.STORED) {
      uncount(page);
    }
    if (accepted) {
      unlink(page);
    }
    namespaces.release(pages.namespace(page));
    pages.free(page);
  }

  /** A stored page is findable no more, but evictions still have to know where it is. */
  void lose(int page) {
    uncount(page);
    weigh(page, segment(page), -1);
    pages.setState(page, PageTable.LOST);
  }

  /** A page's copy takes its place in the index. */
  void swing(int page, int copy) {
    index.replace(page, copy);
    pages.setState(copy, PageTable.STORED);
    unlink(page);
    namespaces.release(pages.namespace(page));
    pages.free(page);
  }

  /** Somebody reads the page. */
  void use(int page) {
    pages.setUsed(page);
    score(page, ++clock);
  }

  void score(int page, long score) {
    Segment segment = segment(page);
    segment.scoreSum += (score - pages.score(page)) * pages.blocks(page);
    pages.setScore(page, score);
  }

  private void uncount(int page) {
    findable--;
    liveBytes -= pages.payloadBytes(page);
  }

  private void weigh(int page, Segment segment, int sign) {
    segment.liveBlocks += (long) sign * pages.blocks(page);
    segment.scoreSum += sign * pages.score(page) * pages.blocks(page);
  }

  private void unlink(int page) {
    Segment segment = segment(page);
    int previous = pages.previous(page);
    int next = pages.next(page);
    if (previous == PageTable.NONE) {
      segment.firstPage = next;
    } else {
      pages.setNext(previous, next);
    }
    if (next != PageTable.NONE) {
      pages.setPrevious(next, previous);
    }
    segment.pages--;
    if (pages.state(page) != PageTable.LOST) {
      weigh(page, segment, -1);
    }
  }

  /** The score of a page that is used now. */
  long clock() {
    return clock;
  }

  long findable() {
    return findable;
  }

  long liveBytes() {
    return liveBytes;
  }
}
