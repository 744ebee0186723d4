package io.orbitkv.kernel.instance;

import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.SlotLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Numbers for key spaces. Two instances share bytes only if they agree on the namespace, the page
 * size, the group and the byte geometry of that group on every rank: then they get the same number.
 * Numbers are never given back.
 */
public final class Domains {
  private final Map<String, Integer> numbers = new HashMap<>();

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
    return numbers.computeIfAbsent(digest(text.toString()), key -> numbers.size());
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
