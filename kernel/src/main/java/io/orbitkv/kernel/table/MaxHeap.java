package io.orbitkv.kernel.table;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap whose elements know their places, so that one whose weight has changed, or that
 * leaves, costs a logarithm. Of equal weights the youngest comes first.
 *
 * @param <E> elements
 */
public final class MaxHeap<E extends MaxHeap.Element> {
  private static final int OUTSIDE = -1;

  private final List<E> elements = new ArrayList<>();

  /** What can be in one heap at a time. */
  public abstract static class Element {
    private int place = OUTSIDE;

    /** The heap must hear of each change. */
    protected abstract long weight();

    /** Larger for what is younger; constant and unique. */
    protected abstract long age();

    /** Whether it is in a heap. */
    public final boolean listed() {
      return place != OUTSIDE;
    }
  }

  /** Empty. */
  public MaxHeap() {}

  /** The heaviest, or null. */
  public @Nullable E peek() {
    return elements.isEmpty() ? null : elements.getFirst();
  }

  /** Puts an element in that is in no heap. */
  public void add(E element) {
    elements.add(element);
    put(elements.size() - 1, element);
    rise(elements.size() - 1);
  }

  /** The weight of an element has changed. */
  public void changed(E element) {
    sink(rise(place(element)));
  }

  /** Takes an element out. */
  public void remove(E element) {
    int hole = place(element);
    E last = elements.removeLast();
    setPlace(element, OUTSIDE);
    if (hole < elements.size()) {
      put(hole, last);
      changed(last);
    }
  }

  /** Number of elements. */
  public int size() {
    return elements.size();
  }

  private int rise(int from) {
    int place = from;
    while (place > 0 && before(elements.get(place), elements.get((place - 1) / 2))) {
      swap(place, (place - 1) / 2);
      place = (place - 1) / 2;
    }
    return place;
  }

  private void sink(int from) {
    int place = from;
    while (true) {
      int child = 2 * place + 1;
      if (child + 1 < elements.size() && before(elements.get(child + 1), elements.get(child))) {
        child++;
      }
      if (child >= elements.size() || !before(elements.get(child), elements.get(place))) {
        return;
      }
      swap(place, child);
      place = child;
    }
  }

  private void swap(int one, int other) {
    E element = elements.get(one);
    put(one, elements.get(other));
    put(other, element);
  }

  private void put(int place, E element) {
    elements.set(place, element);
    setPlace(element, place);
  }

  private static int place(Element element) {
    return element.place;
  }

  private static void setPlace(Element element, int place) {
    element.place = place;
  }

  private static boolean before(Element one, Element other) {
    return one.weight() != other.weight() ? one.weight() > other.weight() : one.age() > other.age();
  }
}
