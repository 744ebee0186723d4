package io.orbitkv.ssd.store;

import io.orbitkv.api.page.Namespace;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives namespaces small numbers for as long as pages name them. Each lies in one scope, the
 * engine's own namespace of which it is one geometry; on the device both stand side by side.
 */
final class Namespaces {
  static final int NONE = -1;

  /** Of a namespace with its scope. */
  static final int BYTES = 64;

  private static final int WORDS = BYTES / Long.BYTES;
  private static final int DIGEST_WORDS = WORDS / 2;
  private static final int WORD_DIGITS = 2 * Long.BYTES;

  private static final class Entry {
    final Namespace namespace;
    final Namespace scope;
    final long[] words;
    int pages;

    Entry(Namespace namespace, Namespace scope) {
      this.namespace = namespace;
      this.scope = scope;
      this.words = new long[WORDS];
      put(namespace, words, 0);
      put(scope, words, DIGEST_WORDS);
    }
  }

  private final Map<Namespace, Integer> numbers = new HashMap<>();
  private final List<@Nullable Entry> entries = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  // Neighbours are mostly of one namespace.
  private int last = NONE;

  /** The number of a namespace, or {@link #NONE}. */
  int find(Namespace namespace) {
    if (last != NONE && entry(last).namespace.equals(namespace)) {
      return last;
    }
    Integer number = numbers.get(namespace);
    if (number == null) {
      return NONE;
    }
    last = number;
    return number;
  }

  /** The number of a namespace, a new one where it has none; {@link #retain} keeps it. */
  int intern(Namespace namespace, Namespace scope) {
    int number = find(namespace);
    return number != NONE ? number : add(namespace, scope);
  }

  int intern(MemorySegment memory, long at) {
    if (last != NONE && is(last, memory, at)) {
      return last;
    }
    return intern(namespace(memory, at), namespace(memory, at + BYTES / 2));
  }

  private static Namespace namespace(MemorySegment memory, long at) {
    HexFormat hex = HexFormat.of();
    StringBuilder digest = new StringBuilder(Namespace.HEX_DIGITS);
    for (int i = 0; i < DIGEST_WORDS; i++) {
      digest.append(
          hex.toHexDigits(Long.reverseBytes(memory.get(Blocks.LONG, at + (long) i * Long.BYTES))));
    }
    return new Namespace(digest.toString());
  }

  private int add(Namespace namespace, Namespace scope) {
    Integer reused = free.poll();
    int number = reused == null ? entries.size() : reused;
    Entry entry = new Entry(namespace, scope);
    if (reused == null) {
      entries.add(entry);
    } else {
      entries.set(number, entry);
    }
    numbers.put(namespace, number);
    last = number;
    return number;
  }

  private static void put(Namespace namespace, long[] words, int first) {
    for (int i = 0; i < DIGEST_WORDS; i++) {
      int digit = i * WORD_DIGITS;
      words[first + i] =
          Long.reverseBytes(
              Long.parseUnsignedLong(namespace.digest(), digit, digit + WORD_DIGITS, 16));
    }
  }

  /** A page more names it. */
  void retain(int number) {
    entry(number).pages++;
  }

  /** A page less names it; with the last one the number is free for another namespace. */
  void release(int number) {
    Entry entry = entry(number);
    if (--entry.pages == 0) {
      numbers.remove(entry.namespace);
      entries.set(number, null);
      free.push(number);
      if (last == number) {
        last = NONE;
      }
    }
  }

  Namespace get(int number) {
    return entry(number).namespace;
  }

  Namespace scope(int number) {
    return entry(number).scope;
  }

  void put(int number, MemorySegment memory, long at) {
    long[] words = entry(number).words;
    for (int i = 0; i < WORDS; i++) {
      memory.set(Blocks.LONG, at + (long) i * Long.BYTES, words[i]);
    }
  }

  boolean is(int number, MemorySegment memory, long at) {
    long[] words = entry(number).words;
    for (int i = 0; i < WORDS; i++) {
      if (memory.get(Blocks.LONG, at + (long) i * Long.BYTES) != words[i]) {
        return false;
      }
    }
    return true;
  }

  private Entry entry(int number) {
    Entry entry = entries.get(number);
    if (entry == null) {
      throw new IllegalStateException("namespace [" + number + "] is not in use");
    }
    return entry;
  }
}
