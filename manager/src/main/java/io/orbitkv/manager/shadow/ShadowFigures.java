package io.orbitkv.manager.shadow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the miniatures have found since they began, at one moment. Immutable.
 *
 * @param state {@code off} without shadows, {@code waiting} for the first lookup, {@code running},
 *     {@code failed}
 * @param trouble why it has failed; empty otherwise
 * @param epoch of the policies in which the miniatures began
 * @param cause of their beginning
 * @param share of the conversations and the capacity, as it came out
 * @param dramPages that host memory holds in miniature
 * @param ssdPages that the backing tier holds in miniature
 * @param knownPages that are remembered at most
 * @param turnedOver whether every tier of the active miniature has given up as many pages as it
 *     holds: before, figures are those of a cold start, and all miniatures do much the same
 * @param lookups what became of them since the start of the Manager
 * @param miniatures the active one of each slot that has shadows, followed by these
 */
public record ShadowFigures(
    String state,
    String trouble,
    long epoch,
    String cause,
    double share,
    int dramPages,
    int ssdPages,
    int knownPages,
    boolean turnedOver,
    Lookups lookups,
    List<Mini> miniatures) {
  /** Without shadows. */
  public static final ShadowFigures OFF = off(Lookups.NONE);

  /** Copies the list. */
  public ShadowFigures {
    miniatures = List.copyOf(miniatures);
  }

  static ShadowFigures off(Lookups lookups) {
    return new ShadowFigures("off", "", 0, "", 0, 0, 0, 0, false, lookups, List.of());
  }

  /**
   * Lookups since the start. Each is counted once: offered = sampled + others + dropped + left out
   * + waiting.
   *
   * @param offered that came while there were shadows
   * @param sampled whose conversation is in the sample
   * @param others whose conversation is not
   * @param dropped because too many waited
   * @param leftOut that miniatures cannot serve: of pages of another size, of several groups at
   *     once, longer than what is remembered
   */
  public record Lookups(long offered, long sampled, long others, long dropped, long leftOut) {
    static final Lookups NONE = new Lookups(0, 0, 0, 0, 0);

    /** Offered, and nothing has become of them so far. */
    public long waiting() {
      return offered - sampled - others - dropped - leftOut;
    }
  }

  /**
   * One miniature.
   *
   * @param slot key of the slot that it is about
   * @param policy that it runs there
   * @param settings of the policy in canonical form; empty when it has none
   * @param active whether it runs what serves, otherwise a shadow
   * @param state {@code running}, {@code failed} or {@code abandoned}
   * @param trouble what ended it; empty while it runs
   * @param lookups served
   * @param lookedUpPages of them
   * @param hitPages of prefix hits
   * @param dramWrittenBytes that entered host memory from devices
   * @param ssdWrittenBytes written to the backing tier
   */
  public record Mini(
      String slot,
      String policy,
      String settings,
      boolean active,
      String state,
      String trouble,
      long lookups,
      long lookedUpPages,
      long hitPages,
      long dramWrittenBytes,
      long ssdWrittenBytes) {
    /** Whether its figures can be compared with those of others. */
    public boolean running() {
      return state.equals("running");
    }

    /** Pages that were looked up and are no hit. */
    public long missedPages() {
      return lookedUpPages - hitPages;
    }

    /** Hits as a share of the pages looked up; 0 without any. */
    public double hitRatio() {
      return lookedUpPages == 0 ? 0 : (double) hitPages / lookedUpPages;
    }
  }

  /**
   * How much better the best shadow of a slot did than what serves.
   *
   * @param slot key of the slot
   * @param best the shadow with the most hits
   * @param pages its hits less those of the active miniature: below 0 when what serves is best
   * @param ratio the same as a share of the pages looked up
   */
  public record Regret(String slot, Mini best, long pages, double ratio) {}

  /** Slots that have shadows. */
  public List<String> slots() {
    return miniatures.stream().map(Mini::slot).distinct().toList();
  }

  /** The regret of each slot whose active miniature and at least one shadow run. */
  public List<Regret> regrets() {
    List<Regret> regrets = new ArrayList<>();
    for (String slot : slots()) {
      regret(slot).ifPresent(regrets::add);
    }
    return regrets;
  }

  private Optional<Regret> regret(String slot) {
    Mini active = null;
    Mini best = null;
    for (Mini each : miniatures) {
      if (!each.slot().equals(slot) || !each.running()) {
        continue;
      }
      if (each.active()) {
        active = each;
      } else if (best == null || each.hitPages() > best.hitPages()) {
        best = each;
      }
    }
    if (active == null || best == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Regret(
            slot, best, best.hitPages() - active.hitPages(), best.hitRatio() - active.hitRatio()));
  }
}
