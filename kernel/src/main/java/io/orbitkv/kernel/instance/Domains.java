package io.orbitkv.kernel.instance;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.kernel.BrokenInvariant;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Numbers for key spaces. Two instances share bytes only if they agree on the namespace, the page
 * size, the group and the byte geometry of that group on every rank: then they get the same number.
 * The backing tier knows a key space by the digest of all that, so that what was stored under
 * another geometry is never found. Numbers are never given back.
 */
public final class Domains {
  private final Map<Stored, Integer> numbers = new HashMap<>();
  private final List<Stored> byNumber = new ArrayList<>();
  // What engines call the key spaces, by number; a key space of stored pages alone has none.
  private final Map<Integer, Namespace> scopes = new HashMap<>();

  /** A key space as the backing tier names it. */
  private record Stored(Namespace namespace, int group) {}

  /**
   * The number of a key space.
   *
   * @param slots of the group, by rank
   */
  int intern(Namespace namespace, int pageTokens, GroupSpec group, List<SlotLayout> slots) {
    StringBuilder text = new StringBuilder(256);
    text.append(namespace.digest()).append('\n');
    text.append(pageTokens).append(' ').append(group).append(' ').append(slots.size());
    for (SlotLayout slot : slots) {
      text.append("\nrank");
      for (LayerLayout layer : slot.layers()) {
        // Strides and offsets are the engine's own affair: they do not change the bytes of a run.
        text.append('\n').append(layer.name().length()).append(' ').append(layer.name());
        text.append(' ').append(layer.segmentBytes()).append(' ').append(layer.segments());
      }
    }
    int number = number(new Stored(new Namespace(digest(text.toString())), group.id()));
    scopes.put(number, namespace);
    return number;
  }

  /** The engine's own namespace of a key space that an engine has. */
  public Namespace scope(int domain) {
    Namespace scope = scopes.get(domain);
    if (scope == null) {
      throw new BrokenInvariant("no engine has the key space [" + domain + "]");
    }
    return scope;
  }

  /** The namespace under which the backing tier knows a key space. */
  public Namespace namespace(int domain) {
    return byNumber.get(domain).namespace();
  }

  /** The number of the key space of a stored page. */
  public int of(StoredKey key) {
    return number(new Stored(key.namespace(), key.group()));
  }

  /** The name of a page in the backing tier. */
  public StoredKey stored(int domain, long keyHigh, long keyLow) {
    Stored stored = byNumber.get(domain);
    return new StoredKey(stored.namespace(), stored.group(), new PageKey(keyHigh, keyLow));
  }

  private int number(Stored stored) {
    Integer known = numbers.putIfAbsent(stored, byNumber.size());
    if (known == null) {
      byNumber.add(stored);
      return byNumber.size() - 1;
    }
    return known;
  }

  private static String digest(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java runtime has SHA-256", missing);
    }
  }
}
