package io.orbitkv.workload.ssd;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Which pages are stored, for choosing among them. One thread. */
final class Residents {
  private final Map<Long, Integer> places = new HashMap<>();
  private long[] numbers = new long[1024];
  private int count;

  int count() {
    return count;
  }

  void add(long number) {
    if (places.putIfAbsent(number, count) == null) {
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * count);
      }
      numbers[count++] = number;
    }
  }

  void remove(long number) {
    Integer place = places.remove(number);
    if (place == null) {
      return;
    }
    long last = numbers[--count];
    if (last != number) {
      numbers[place] = last;
      places.put(last, place);
    }
  }

  /** Any one of them, each as likely as the others; there must be one. */
  long any(SplittableRandom random) {
    return numbers[random.nextInt(count)];
  }
}
