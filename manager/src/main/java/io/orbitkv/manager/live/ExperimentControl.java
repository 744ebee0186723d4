package io.orbitkv.manager.live;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.config.ConfigurationFile;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.ConfigurationText;
import io.orbitkv.manager.experiment.LivePartition;
import io.orbitkv.manager.experiment.Schedule;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Starts, shows and ends experiments on live traffic. Threads of sessions, one change at a time:
 * whoever calls sees to that. What an experiment needs of plugins is found and checked here, before
 * the dispatcher hears of it.
 */
public final class ExperimentControl {
  private static final Logger log = LoggerFactory.getLogger(ExperimentControl.class);
  private static final long PATIENCE_SECONDS = 5;

  private final List<LiveCell> cells;
  private final ExperimentBook book;
  private final PolicyCatalog catalog;
  private final @Nullable ArmSplit divided;
  private final LongSupplier clock;
  private final long bornNanos;
  private final JsonMapper mapper = JsonMapper.builder().build();
  private volatile String trouble = "";

  /**
   * No experiment so far.
   *
   * @param cells one, or the two that the Manager is divided into
   * @param divided how; null when it is not
   */
  public ExperimentControl(
      List<LiveCell> cells,
      ExperimentBook book,
      PolicyCatalog catalog,
      @Nullable ArmSplit divided,
      LongSupplier clock) {
    this.cells = List.copyOf(cells);
    this.book = book;
    this.catalog = catalog;
    this.divided = divided;
    this.clock = clock;
    this.bornNanos = clock.getAsLong();
    book.endWith(this::endIn);
  }

  // The cell's mailbox may be full, and nobody waits here for what becomes of it.
  private void endIn(
      int cell, ExperimentRecord.Terms terms, ExperimentRecord.State how, String why) {
    LiveCell in = cells.get(cell);
    var _ = in.dispatcher().change(() -> in.experiments().stop(terms, how, why));
  }

  /**
   * Refuses what would mix with an experiment.
   *
   * @param what is wanted, with its article
   * @throws IllegalStateException while one runs
   */
  public void requireNone(String what) {
    ExperimentBook.Progress progress = book.latest();
    if (progress != null && progress.record().running()) {
      throw new IllegalStateException(
          "the experiment ["
              + progress.record().terms().name()
              + "] runs, and "
              + what
              + " would mix with it: wait for its end ('orbitkv ab status'), or end it with"
              + " 'orbitkv ab stop'");
    }
  }

  // ---- start and end -------------------------------------------------------------------------

  /**
   * Starts an experiment.
   *
   * @param current what serves now, by slot
   * @return how it stands
   * @throws IllegalArgumentException when it makes no sense or would mislead, saying why
   * @throws IllegalStateException when one runs
   */
  public String start(
      ExperimentRequest request, Map<PolicySlot, List<PolicyCatalog.Named>> current) {
    requireNone("another one");
    ExperimentTerms terms = new ExperimentTerms(catalog, request, current, divided);
    ExperimentTerms.Checked checked = terms.check(turnover());
    ExperimentRecord record =
        new ExperimentRecord(checked.terms(), ExperimentRecord.State.RUNNING, "", 0, List.of());
    RunningExperiment.Plans plans = plans(checked.a(), checked.b(), checked.differing());
    start(record, plans);
    trouble = "";
    log.info(
        "the experiment [{}] has started: [{}] blocks of [{}] s, isolation [{}], slots {}",
        record.terms().name(),
        record.terms().schedule().total(),
        record.terms().schedule().block().toSeconds(),
        record.terms().isolation().key(),
        record.terms().differing());
    return standing(false);
  }

  private void start(ExperimentRecord record, RunningExperiment.Plans plans) {
    try {
      for (LiveCell cell : cells) {
        await(cell.dispatcher().change(() -> cell.experiments().start(record, plans, false)));
      }
    } catch (IllegalStateException unanswered) {
      // One variant alone compares nothing.
      for (int cell = 0; cell < cells.size(); cell++) {
        endIn(
            cell,
            record.terms(),
            ExperimentRecord.State.INTERRUPTED,
            "it did not start in every cell");
      }
      throw unanswered;
    }
  }

  /** Of the cell that takes longest; empty where one has not begun to fill. */
  private Optional<Duration> turnover() {
    Duration longest = Duration.ZERO;
    for (LiveCell cell : cells) {
      KernelStatus status = await(cell.dispatcher().inspect());
      Optional<Duration> own =
          Turnover.of(status, cell.backing().usage(), clock.getAsLong() - bornNanos);
      if (own.isEmpty()) {
        return own;
      }
      longest = own.get().compareTo(longest) > 0 ? own.get() : longest;
    }
    return Optional.of(longest);
  }

  private RunningExperiment.Plans plans(
      ConfigNode.Mapping a, ConfigNode.Mapping b, Iterable<PolicySlot> differing) {
    return new RunningExperiment.Plans(
        plans(a, differing), plans(b, differing), plans(catalog.section(), differing));
  }

  private Map<PolicySlot, SlotPlan> plans(
      ConfigNode.Mapping policies, Iterable<PolicySlot> differing) {
    Map<PolicySlot, List<PolicyCatalog.Named>> named = catalog.named(policies);
    Map<PolicySlot, SlotPlan> plans = new EnumMap<>(PolicySlot.class);
    for (PolicySlot slot : differing) {
      plans.put(slot, catalog.bind(slot, named.getOrDefault(slot, List.of())));
    }
    return plans;
  }

  /**
   * Ends the experiment: every slot runs what the configuration names.
   *
   * @return how it stands
   * @throws IllegalStateException when none runs
   */
  public String stop() {
    ExperimentBook.Progress progress = book.latest();
    if (progress == null || !progress.record().running()) {
      throw new IllegalStateException(
          "no experiment runs: nothing is to be stopped"
              + (progress == null
                  ? ""
                  : "; the last one, ["
                      + progress.record().terms().name()
                      + "], is "
                      + progress.record().state().key()));
    }
    for (LiveCell cell : cells) {
      await(
          cell.dispatcher()
              .change(
                  () -> cell.experiments().stop(ExperimentRecord.State.STOPPED, "it was stopped")));
    }
    return standing(false);
  }

  /**
   * Boot thread, before the dispatcher starts. Goes on with the experiment that ran when the
   * Manager ended; one that cannot go on is interrupted, and never in the way of a start.
   */
  public void resume() {
    Optional<ExperimentRecord> kept;
    try {
      kept = book.file().read();
    } catch (IllegalArgumentException unusable) {
      trouble = String.valueOf(unusable.getMessage());
      log.error("{}", trouble);
      return;
    }
    if (kept.isEmpty() || !kept.get().running()) {
      kept.ifPresent(book::remember);
      return;
    }
    ExperimentRecord record = kept.get().restarted();
    try {
      resume(record);
    } catch (ConfigException | IllegalArgumentException refused) {
      interrupted(record, String.valueOf(refused.getMessage()));
    }
  }

  private void resume(ExperimentRecord record) {
    ExperimentRecord.Terms terms = record.terms();
    if (!ConfigurationText.of(catalog.section()).equals(terms.configured())) {
      interrupted(
          record, "the configuration names other policies than when the experiment started");
      return;
    }
    ArmSplit split = terms.split();
    Optional<String> refusal =
        LivePartition.refusal(
            new Assignment(
                split.by(),
                terms.isolation(),
                split.percent(),
                split.salt(),
                terms.schedule().block()),
            divided);
    if (refusal.isPresent()) {
      interrupted(record, refusal.get());
      return;
    }
    List<PolicySlot> differing = terms.differing().stream().map(ExperimentControl::slot).toList();
    RunningExperiment.Plans plans =
        plans(
            section("variant A", terms.policiesA()),
            section("variant B", terms.policiesB()),
            differing);
    for (LiveCell cell : cells) {
      cell.experiments().start(record, plans, true).ifPresent(cell.dispatcher()::report);
    }
    log.info(
        "the experiment [{}] goes on with block [{}] of [{}]; the one that the end of the Manager"
            + " cut off is measured anew",
        terms.name(),
        record.blocks().size() + 1,
        terms.schedule().total());
  }

  private static ConfigNode.Mapping section(String source, String text) {
    return ConfigurationFile.parse(source, text.getBytes(StandardCharsets.UTF_8));
  }

  private static PolicySlot slot(String key) {
    for (PolicySlot slot : PolicySlot.values()) {
      if (slot.key().equals(key)) {
        return slot;
      }
    }
    throw new IllegalArgumentException("[" + key + "] is not a slot");
  }

  private void interrupted(ExperimentRecord record, String why) {
    ExperimentRecord ended = record.ended(ExperimentRecord.State.INTERRUPTED, why);
    log.warn(
        "the experiment [{}] cannot go on ({}): it is interrupted, and the configured policies"
            + " serve",
        record.terms().name(),
        why);
    book.remember(ended);
    book.file().write(ended);
  }

  // ---- answers -------------------------------------------------------------------------------

  /**
   * How the last experiment stands. Any thread.
   *
   * @param whole with every block
   */
  public String standing(boolean whole) {
    ObjectNode root = mapper.createObjectNode();
    root.put("state_file", book.file().file().toString());
    String told = trouble.isEmpty() ? book.file().trouble() : trouble;
    root.put("trouble", told);
    root.put("configured", !catalog.experiment().entries().isEmpty());
    ExperimentBook.@Nullable Progress progress = book.latest();
    if (progress == null) {
      root.putNull("experiment");
      return mapper.writeValueAsString(root);
    }
    ObjectNode node = root.putObject("experiment");
    StateJson.put(progress.record(), node, whole);
    if (progress.record().running()) {
      Schedule schedule = progress.record().terms().schedule();
      int block = Math.min(progress.record().blocks().size(), schedule.total() - 1);
      long elapsed =
          Math.clamp(clock.getAsLong() - progress.startedNanos(), 0, schedule.blockNanos());
      node.put("block", block + 1);
      node.put("blocks_total", schedule.total());
      node.put("period", schedule.same(block) ? "aa" : "variants");
      node.put("settling", schedule.settling(block));
      if (schedule.turns()) {
        node.put("turn", Arm.of(schedule.turnOfB(block)).name());
      }
      node.put("block_elapsed_nanos", elapsed);
      node.put("left_nanos", (schedule.total() - (long) block) * schedule.blockNanos() - elapsed);
    }
    return mapper.writeValueAsString(root);
  }

  private static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException ended) {
      throw new IllegalStateException("the Manager has ended", ended);
    } catch (TimeoutException timeout) {
      throw new IllegalStateException(
          "the dispatcher did not answer within [" + PATIENCE_SECONDS + "] s", timeout);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the dispatcher", interrupted);
    }
  }
}
