package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.ssd.sim.disk.Chance;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Namespaces, groups and the runs of their pages: uniform, or of mixed sizes. */
final class Shapes {
  private static final int FRAME = Memory.FRAME_BYTES;

  private final List<Namespace> namespaces = new ArrayList<>();
  private final List<PageShape> shapes = new ArrayList<>();
  private final int groups;
  private long keys;

  Shapes(Chance chance, int mostFrames) {
    int count = chance.between(1, 3);
    groups = chance.between(1, 2);
    boolean uniform = chance.oneIn(2);
    PageShape same = shape(chance, mostFrames);
    for (int i = 0; i < count; i++) {
      byte[] digest = new byte[Namespace.HEX_DIGITS / 2];
      digest[0] = (byte) (i + 1);
      digest[digest.length - 1] = (byte) chance.below(256);
      namespaces.add(new Namespace(HexFormat.of().formatHex(digest)));
      for (int group = 0; group < groups; group++) {
        shapes.add(uniform ? same : shape(chance, mostFrames));
      }
    }
  }

  private static PageShape shape(Chance chance, int mostFrames) {
    List<Integer> payloads = new ArrayList<>();
    int runs = chance.oneIn(3) ? chance.between(2, 3) : 1;
    for (int i = 0; i < runs; i++) {
      int frames = chance.between(1, Math.max(1, mostFrames / runs));
      // Often whole frames, sometimes with a rest that carries nothing.
      payloads.add(frames * FRAME - (chance.oneIn(2) ? 0 : chance.between(1, FRAME - 1)));
    }
    return new PageShape(List.copyOf(payloads));
  }

  List<Namespace> namespaces() {
    return namespaces;
  }

  /** Two namespaces, as two geometries of one engine's own, have one. */
  Namespace scope(int namespace) {
    return namespaces.get(namespace / 2 * 2);
  }

  /** Everything of a scope but one namespace. */
  List<Namespace> others(int namespace) {
    List<Namespace> others = new ArrayList<>();
    for (int i = 0; i < namespaces.size(); i++) {
      if (i != namespace && scope(i).equals(scope(namespace))) {
        others.add(namespaces.get(i));
      }
    }
    return others;
  }

  /** A page that was never named before. */
  PageLog next(Chance chance) {
    int namespace = chance.below(namespaces.size());
    int group = chance.below(groups);
    PageKey key = new PageKey(chance.any() | 1, ++keys);
    return new PageLog(
        new StoredKey(namespaces.get(namespace), group, key),
        namespace,
        scope(namespace),
        shapes.get(namespace * groups + group));
  }

  /** One that no segment can hold. */
  PageLog tooLarge(Chance chance, int frames) {
    PageKey key = new PageKey(chance.any() | 1, ++keys);
    return new PageLog(
        new StoredKey(namespaces.getFirst(), groups, key),
        0,
        scope(0),
        new PageShape(List.of(frames * FRAME)));
  }
}
