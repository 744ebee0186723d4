package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.ssd.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of what the store was given and has promised, kept outside the store and its device; it
 * judges everything that the store says.
 */
final class Ledger {
  private final Checks checks;
  private final FaultPlan faults;
  private final Map<StoredKey, PageLog> byKey = new HashMap<>();
  private final List<PageLog> pages = new ArrayList<>();
  private Ending ending = Ending.NEW;

  Ledger(Checks checks, FaultPlan faults) {
    this.checks = checks;
    this.faults = faults;
  }

  List<PageLog> pages() {
    return pages;
  }

  PageLog add(PageLog page) {
    byKey.put(page.key, page);
    pages.add(page);
    return page;
  }

  @Nullable PageLog find(StoredKey key) {
    return byKey.get(key);
  }

  private PageLog known(StoredKey key, Invariant invariant) {
    PageLog page = byKey.get(key);
    checks.require(
        invariant,
        page != null && (!page.versions.isEmpty() || page.found),
        () -> "key [" + key + "] was never given to the store");
    if (page == null) {
      throw new IllegalStateException("unreachable");
    }
    return page;
  }

  // ---- notices ---------------------------------------------------------------------------------

  /** A page is findable, says a running store. */
  void stored(StoredKey key, long payloadBytes) {
    PageLog page = known(key, Invariant.RECOVERED_WAS_PUBLISHED);
    checks.require(
        Invariant.USAGE_ADDS_UP,
        payloadBytes == page.shape.payloadBytes(),
        () -> "page " + page + " is told with [" + payloadBytes + "] bytes");
    page.found = true;
    page.changes++;
  }

  /** A page is gone. */
  void lost(StoredKey key) {
    PageLog page = known(key, Invariant.NOTICES_AGREE_WITH_READS);
    page.found = false;
    page.changes++;
    page.forgiveReported();
  }

  // ---- evictions -------------------------------------------------------------------------------

  /** A page, or all pages of a namespace, are to be forgotten. */
  List<Op.Going> going(List<PageLog> which) {
    List<Op.Going> going = new ArrayList<>();
    for (PageLog page : which) {
      going.add(new Op.Going(page, page.versions.size()));
      page.going++;
      page.changes++;
      page.forgive();
    }
    return going;
  }

  /**
   * They are forgotten.
   *
   * @param durable whether for good
   */
  void gone(List<Op.Going> gone, boolean durable) {
    for (Op.Going each : gone) {
      PageLog page = each.page();
      page.going--;
      page.changes++;
      if (durable && each.below() > page.goneBelow) {
        page.goneBelow = each.below();
      }
      boolean newer =
          page.versions.subList(each.below(), page.versions.size()).stream()
              .anyMatch(version -> version.reported);
      page.found &= newer;
      page.least = Math.max(page.least, page.goneBelow);
    }
  }

  /** The store says that it could not make an eviction durable: copies may come back. */
  void uncertain(List<Op.Going> which) {
    for (Op.Going each : which) {
      each.page().goneBelow = 0;
    }
  }

  // ---- writes and flushes ----------------------------------------------------------------------

  /** A write ended. */
  void written(Op op, BackingStatus status) {
    PageLog page = op.pageOf();
    Version version = op.versionOf();
    if (status != BackingStatus.DONE) {
      return;
    }
    boolean duplicate = op.landed == 0 && op.flying == 0;
    checks.require(
        Invariant.FOUND_WHEN_COMPLETE,
        duplicate || (op.flying == 0 && op.error == 0),
        () -> op + " is reported while the device still has it");
    if (duplicate) {
      // The store had the page: this content was never taken.
      version.forgiven = true;
      return;
    }
    version.reported = true;
    version.proven = true;
    if (version.number >= page.goneBelow) {
      page.least = Math.max(page.least, version.number);
      page.certain = true;
    }
  }

  /** What a flush that begins now makes durable. */
  List<Version> flushing() {
    List<Version> covered = new ArrayList<>();
    for (PageLog page : pages) {
      for (Version version : page.versions) {
        if (version.reported && !version.flushed) {
          covered.add(version);
        }
      }
    }
    return covered;
  }

  /** It ended well. */
  void flushed(List<Version> covered, List<PageLog> promised) {
    covered.forEach(version -> version.flushed = true);
    promised.forEach(page -> page.promisedForGood |= page.promised);
  }

  /** Pages that are there whatever version they have, as of now. */
  List<PageLog> promised() {
    return pages.stream().filter(page -> page.promised).toList();
  }

  // ---- reads -----------------------------------------------------------------------------------

  /** A read was submitted. */
  void reading(Op op) {
    PageLog page = op.pageOf();
    op.foundAtStart = page.found;
    op.leastAtStart = page.least;
    op.goneAtStart = page.goneBelow;
    op.changesAtStart = page.changes;
    op.goingAtStart = page.going > 0;
    op.provenAtStart = page.certain && page.versions.get(page.least).proven;
    op.requiredAtStart = requiredAt(page);
  }

  /** Bytes were served. */
  void served(Op op, byte[] content) {
    PageLog page = op.pageOf();
    Version version = page.withContent(content);
    checks.require(
        Invariant.READ_BYTES_RIGHT,
        version != null,
        () -> op + " gives bytes that were never written under its key" + page.nearest(content));
    if (version == null || faults.lied()) {
      return;
    }
    checks.require(
        Invariant.EVICTED_STAYS_GONE,
        version.number >= op.goneAtStart,
        () -> op + " gives version " + version.number + ", which was evicted before");
    checks.require(
        Invariant.NEWEST_VERSION_SERVED,
        version.number >= op.leastAtStart,
        () ->
            op
                + " gives version "
                + version.number
                + " although version "
                + op.leastAtStart
                + " was stored");
    checks.require(
        Invariant.NOTICES_AGREE_WITH_READS,
        op.foundAtStart || page.changes != op.changesAtStart || op.goingAtStart,
        () -> op + " finds a page that was not told as stored");
    if (page.changes == op.changesAtStart && !op.goingAtStart && version.number >= page.least) {
      page.least = version.number;
      page.certain = true;
      // What was read whole is there, also when its write was never reported.
      version.proven = true;
      version.reported = true;
      version.forgiven = false;
    }
  }

  /** A read found nothing. */
  void absent(Op op) {
    PageLog page = op.pageOf();
    checks.require(
        Invariant.NOTICES_AGREE_WITH_READS,
        faults.lied() || !op.foundAtStart || op.goingAtStart || page.changes != op.changesAtStart,
        () -> op + " is absent although the page was told as stored");
  }

  /** A read found a page that is damaged. */
  void corrupt(Op op) {
    checks.require(
        lowerBound(),
        faults.lied() || op.requiredAtStart == PageLog.NO_VERSION,
        () -> op + " is corrupt although version " + op.requiredAtStart + " must have survived");
    checks.require(
        Invariant.NOTICES_AGREE_WITH_READS,
        faults.lied() || !op.provenAtStart,
        () -> op + " is corrupt although the device did nothing wrong");
  }

  private int requiredAt(PageLog page) {
    return page.required(ending == Ending.POWER);
  }

  // ---- recovery --------------------------------------------------------------------------------

  private Invariant lowerBound() {
    return switch (ending) {
      case NEW, CLEAN -> Invariant.CLEAN_STOP_KEEPS_ALL;
      case KILL -> Invariant.REPORTED_SURVIVES_KILL;
      case POWER -> Invariant.FLUSHED_SURVIVES_POWER_LOSS;
    };
  }

  /** The store stopped so; nothing is under way any more. */
  void ended(Ending how) {
    ending = how;
    for (PageLog page : pages) {
      page.going = 0;
      if (how == Ending.CLEAN) {
        page.versions.forEach(version -> version.flushed |= version.reported);
        page.promisedForGood = page.promised;
      }
      if (how == Ending.POWER) {
        for (Version version : page.versions) {
          version.proven &= version.flushed;
          // What was not flushed is promised no longer, whatever ends the next life.
          version.forgiven |= !version.flushed;
        }
        page.promised &= page.promisedForGood;
        // Also when recoveries are killed before one succeeds: the newest version may be torn.
        page.certain = false;
      }
    }
  }

  /**
   * Whether what must be there after the last ending is among the keys, and nothing else.
   *
   * @param weak when the device failed meanwhile: then anything may be missing
   */
  void recovered(Set<StoredKey> keys, boolean weak) {
    for (StoredKey key : keys) {
      PageLog page = known(key, Invariant.RECOVERED_WAS_PUBLISHED);
      checks.require(
          Invariant.EVICTED_STAYS_GONE,
          faults.lied() || page.possible(),
          () -> "page " + page + " is recovered although it was evicted and never written anew");
    }
    for (PageLog page : pages) {
      int required = requiredAt(page);
      checks.require(
          lowerBound(),
          faults.lied() || weak || required == PageLog.NO_VERSION || keys.contains(page.key),
          () -> "page " + page + " is not recovered although version " + required + " must be");
      checks.require(
          lowerBound(),
          faults.lied() || weak || !page.promised || keys.contains(page.key),
          () -> "page " + page + ", which the last recovery found, is not recovered again");
      checks.require(
          page.found ? Invariant.CLEAN_STOP_KEEPS_ALL : Invariant.EVICTED_STAYS_GONE,
          faults.lied()
              || ending != Ending.CLEAN
              || keys.contains(page.key) == page.found
              || (weak && page.found),
          () ->
              "page "
                  + page
                  + (page.found ? " was" : " was not")
                  + " findable before the clean stop, and is "
                  + (page.found ? "not" : "now"));
    }
  }

  /** Demands that the store was given each of the keys. */
  void published(Set<StoredKey> keys) {
    keys.forEach(key -> known(key, Invariant.RECOVERED_WAS_PUBLISHED));
  }

  /**
   * Demands that the keys are what may be left when the power went after the process had died: what
   * was flushed, and nothing that was evicted.
   */
  void afterPowerLoss(Set<StoredKey> keys) {
    for (PageLog page : pages) {
      checks.require(
          Invariant.FLUSHED_SURVIVES_POWER_LOSS,
          page.required(true) == PageLog.NO_VERSION || keys.contains(page.key),
          () -> "page " + page + " is not recovered although it was flushed");
    }
    for (StoredKey key : keys) {
      PageLog page = known(key, Invariant.RECOVERED_WAS_PUBLISHED);
      checks.require(
          Invariant.EVICTED_STAYS_GONE,
          page.possible(),
          () -> "page " + page + " is recovered although it was evicted and never written anew");
    }
  }

  /** A new life begins with these pages. */
  void begins(Map<StoredKey, Long> recovered) {
    Set<StoredKey> keys = recovered.keySet();
    recovered.forEach(this::stored);
    for (PageLog page : pages) {
      page.certain &= ending != Ending.POWER && page.least == page.versions.size() - 1;
      page.found = keys.contains(page.key);
      page.changes++;
      page.least = Math.max(page.goneBelow, Math.max(0, requiredAt(page)));
      page.promised = page.found;
      page.promisedForGood &= page.found;
      if (!page.found) {
        page.forgive();
      }
    }
  }

  long foundPages() {
    return pages.stream().filter(page -> page.found).count();
  }

  long foundBytes() {
    return pages.stream()
        .filter(page -> page.found)
        .mapToLong(page -> page.shape.payloadBytes())
        .sum();
  }

  boolean evictionsUnderWay() {
    return pages.stream().anyMatch(page -> page.going > 0);
  }
}
