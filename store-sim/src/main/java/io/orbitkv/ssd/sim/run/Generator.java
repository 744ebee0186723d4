package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.Chance;
import java.util.ArrayList;
import java.util.List;

/** Decides what the next operation is. */
final class Generator {
  private static final int MOST_OPEN = 24;
  private static final long SECOND = 1_000_000_000L;
  private static final int SEGMENT_HEADER_FRAMES = 1;

  private final World world;
  private final Shapes shapes;
  private final Chance chance;
  private final int hostilePercent;
  private final int evictPercent;
  private final int readPercent;
  private final int flushPercent;
  private final boolean pauses;
  private final List<PageLog> hot = new ArrayList<>();

  Generator(World world, Shapes shapes, Chance chance) {
    this.world = world;
    this.shapes = shapes;
    this.chance = chance;
    hostilePercent = chance.pick(new Integer[] {0, 5, 40});
    evictPercent = chance.pick(new Integer[] {0, 3, 10});
    readPercent = chance.pick(new Integer[] {5, 25, 50});
    flushPercent = chance.pick(new Integer[] {1, 4, 10});
    pauses = world.settings.writesPerDayBytes() != 0;
  }

  /** One operation, or none when enough are open. */
  void act(Life life) {
    if (life.ops().size() >= MOST_OPEN) {
      return;
    }
    int dice = chance.below(100);
    if (dice < evictPercent) {
      evict(life);
    } else if (dice < evictPercent + flushPercent) {
      life.flush();
    } else if (dice < evictPercent + flushPercent + readPercent) {
      read(life);
    } else {
      write(life);
    }
    if (pauses && chance.oneIn(60)) {
      life.pause(chance.below(4000 * SECOND));
    }
  }

  private void evict(Life life) {
    if (world.ledger.pages().isEmpty()) {
      return;
    }
    if (chance.oneIn(150)) {
      life.drop(new Life.Drop(null, List.of()), world.ledger.pages());
    } else if (chance.oneIn(20)) {
      int namespace = chance.below(shapes.namespaces().size());
      life.drop(
          new Life.Drop(shapes.scope(namespace), shapes.others(namespace)),
          world.ledger.pages().stream().filter(page -> page.namespace == namespace).toList());
    } else {
      PageLog page = chance.oneIn(3) && !hot.isEmpty() ? chance.pick(hot) : known();
      life.evict(page);
      if (chance.oneIn(2)) {
        // The copy that goes and the one that comes are both under way.
        writeAgain(life, page);
        if (chance.oneIn(2)) {
          life.flush();
        }
      }
    }
  }

  private void writeAgain(Life life, PageLog page) {
    life.write(
        page, new Version(page.versions.size(), chance.any(), page.shape.payloadBytes(), null));
  }

  private PageLog known() {
    List<PageLog> pages = world.ledger.pages();
    // Half of the time one of the last: its write may be under way.
    int last = Math.min(pages.size(), 12);
    return chance.oneIn(2)
        ? pages.get(pages.size() - 1 - chance.below(last))
        : pages.get(chance.below(pages.size()));
  }

  private void read(Life life) {
    List<PageLog> pages = world.ledger.pages();
    if (pages.isEmpty()) {
      return;
    }
    PageLog page = chance.oneIn(20) ? shapes.next(chance) : hotOrKnown();
    boolean speculative = chance.oneIn(3);
    if (life.read(page, speculative) && speculative && chance.oneIn(2)) {
      life.ops().stream()
          .filter(op -> op.kind == Op.Kind.READ)
          .reduce((_, later) -> later)
          .ifPresent(life::raise);
    }
    if (chance.oneIn(10)) {
      life.score(page, chance.below(1000L));
    }
  }

  private PageLog hotOrKnown() {
    hot.removeIf(page -> !page.found);
    if (hot.size() < 6) {
      List<PageLog> found = world.ledger.pages().stream().filter(page -> page.found).toList();
      if (!found.isEmpty()) {
        hot.add(chance.pick(found));
      }
    }
    return hot.isEmpty() || chance.oneIn(3) ? known() : chance.pick(hot);
  }

  private void write(Life life) {
    PageLog page;
    if (!world.ledger.pages().isEmpty() && chance.oneIn(6)) {
      page = known();
    } else if (chance.oneIn(200)) {
      int frames = (int) (world.settings.segmentBytes() / Memory.FRAME_BYTES);
      page = world.ledger.add(shapes.tooLarge(chance, frames - SEGMENT_HEADER_FRAMES));
    } else {
      page = world.ledger.add(shapes.next(chance));
    }
    int bytes = page.shape.payloadBytes();
    byte[] hostile = chance.percent(hostilePercent) ? hostile(bytes) : null;
    life.write(page, new Version(page.versions.size(), chance.any(), bytes, hostile));
  }

  /** What lies on the device already: whole records, best where they will lie again. */
  private byte[] hostile(int bytes) {
    long block = world.disk.blockBytes();
    long from =
        world.lastRecordEnd > 0 && !chance.oneIn(3)
            ? world.lastRecordEnd + block
            : world.map.segmentsFrom()
                + chance.below((world.disk.size() - world.map.segmentsFrom()) / block) * block;
    return world.disk.peek(Math.min(from, world.disk.size() - bytes), bytes);
  }
}
