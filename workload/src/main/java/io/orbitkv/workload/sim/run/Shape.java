package io.orbitkv.workload.sim.run;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.workload.sim.hardware.Mix;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kind of engine instance. Pages of two shapes are the same pages exactly when scope, geometry,
 * world size and group agree: {@link #domain} is the simulator's own notion of that.
 *
 * @param name of the instance
 * @param worldSize ranks
 * @param scope number of the namespace
 * @param segmentBytes bytes of a segment: two make a page of one rank
 * @param groups of the model
 */
record Shape(String name, int worldSize, int scope, int segmentBytes, List<GroupSpec> groups) {
  /** Tokens of a page. */
  static final int PAGE_TOKENS = 16;

  /** Device pages of each group on each rank. */
  static final int DEVICE_PAGES = 96;

  private static final List<GroupSpec> DENSE = List.of(new GroupSpec(0, new GroupRule.Prefix()));
  private static final List<GroupSpec> HYBRID =
      List.of(
          new GroupSpec(0, new GroupRule.Prefix()),
          new GroupSpec(1, new GroupRule.Window(3 * PAGE_TOKENS)),
          new GroupSpec(2, new GroupRule.Checkpoint()));

  /** All of them. */
  static final List<Shape> ALL =
      List.of(
          new Shape("solo", 1, 0, 500, DENSE),
          new Shape("twin", 1, 0, 500, DENSE),
          new Shape("tenant", 1, 1, 500, DENSE),
          new Shape("wide", 1, 0, 3000, DENSE),
          new Shape("pair", 2, 0, 500, DENSE),
          new Shape("quad", 4, 0, 500, DENSE),
          new Shape("hybrid", 1, 0, 500, HYBRID),
          new Shape("hybrid-pair", 2, 1, 500, HYBRID));

  /** The shape of an instance's name. */
  static Shape named(String name) {
    for (Shape shape : ALL) {
      if (shape.name.equals(name)) {
        return shape;
      }
    }
    throw new IllegalArgumentException("no shape has the name [" + name + "]");
  }

  /** The namespace. */
  Namespace namespace() {
    return new Namespace((scope == 0 ? "0a" : "0b").repeat(Namespace.HEX_DIGITS / 2));
  }

  /** The memory knows no node of the third rank, and the fourth does not say. */
  int node(int rank) {
    return rank < 2 ? rank : rank == 2 ? 9 : -1;
  }

  /** What a rank registers. */
  WorkerLayout layout(int rank) {
    List<LayerLayout> layers = new ArrayList<>();
    for (GroupSpec group : groups) {
      layers.add(
          new LayerLayout(
              "layer-" + group.id(),
              group.id(),
              group.id() * 10_000_000L,
              DEVICE_PAGES,
              segmentBytes,
              2,
              segmentBytes,
              2L * segmentBytes));
    }
    return new WorkerLayout(rank, worldSize, PAGE_TOKENS, node(rank), groups, layers);
  }

  /** Bytes that a page of any group takes over all ranks. */
  long pageBytes() {
    return worldSize * runBytes();
  }

  private long runBytes() {
    return Math.ceilDiv(2L * segmentBytes, 4096L) * 4096;
  }

  /** Equal for groups whose pages are the same pages; below 2^20. */
  int domain(int group) {
    int rules = groups.size() > 1 ? 1 : 0;
    int geometry = segmentBytes == 500 ? 0 : 1;
    return ((((scope * 8 + worldSize) * 2 + geometry) * 2 + (group == 0 ? 0 : rules)) * 16) + group;
  }

  /** One number for a page: domain and name. */
  long page(int group, long name) {
    return (long) domain(group) << 40 | name;
  }

  /** The key space whose page of that name has that tag on its first rank; null for none. */
  static @Nullable Long domainOf(int group, long name, long firstTag) {
    for (Shape shape : ALL) {
      if (group < shape.groups.size() && tag(shape.page(group, name), 0) == firstTag) {
        return (long) shape.domain(group);
      }
    }
    return null;
  }

  /** Ranks of the key space of a page. */
  static int worldSizeOf(long page) {
    for (Shape shape : ALL) {
      for (GroupSpec group : shape.groups) {
        if (shape.domain(group.id()) == page >>> 40) {
          return shape.worldSize;
        }
      }
    }
    throw new IllegalArgumentException("page [" + page + "] is in no key space");
  }

  /** The bytes of a rank's slot of a page. */
  static long tag(long page, int rank) {
    return (Mix.add(Mix.of(page), rank) >>> 2) + 1;
  }
}
