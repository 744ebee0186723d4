package io.orbitkv.manager.admin;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.CellsPicture;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.live.ExperimentControl;
import io.orbitkv.manager.live.ExperimentRequest;
import io.orbitkv.manager.live.LiveCell;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.session.PolicyService;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.shadow.Shadows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists, swaps and explains policies. Threads of sessions; one change at a time. What a change
 * needs of plugins is found and checked here, before the dispatcher hears of it.
 */
public final class PolicyControl implements PolicyService {
  private static final Logger log = LoggerFactory.getLogger(PolicyControl.class);
  private static final long PATIENCE_SECONDS = 5;
  private static final int MOST_ANSWER_CHARACTERS = 2 << 20;

  private final List<LiveCell> cells;
  private final Cells dispatchers;
  private final PolicyCatalog catalog;
  private final ExperimentControl experiments;
  private final Shadows shadows;
  private final JsonMapper mapper = JsonMapper.builder().build();

  // Guarded by this. By slot; a slot that is absent runs the default.
  private final Map<PolicySlot, List<PolicyCatalog.Named>> current =
      new EnumMap<>(PolicySlot.class);
  private final Map<PolicySlot, List<PolicyCatalog.Named>> previous =
      new EnumMap<>(PolicySlot.class);

  /**
   * Begins with what the configuration names.
   *
   * @param cells with the dispatchers of {@code dispatchers}
   */
  public PolicyControl(
      List<LiveCell> cells,
      Cells dispatchers,
      PolicyCatalog catalog,
      ExperimentControl experiments,
      Shadows shadows) {
    this.shadows = shadows;
    this.experiments = experiments;
    this.cells = List.copyOf(cells);
    this.dispatchers = dispatchers;
    this.catalog = catalog;
    current.putAll(catalog.configured());
  }

  @Override
  public String handle(String json) {
    try {
      return switch (PolicyRequest.of(json)) {
        case PolicyRequest.Listing _ -> list();
        case PolicyRequest.Swap swap -> swap(swap);
        case PolicyRequest.SwapAll(PolicySlot slot, String value) ->
            swapAll(slot, catalog.value(slot, "the request", value));
        case PolicyRequest.Revert revert -> revert(revert.slot());
        case PolicyRequest.Reload _ -> reload();
        case PolicyRequest.Settle settle -> settle(settle.within());
        case PolicyRequest.Explain explain -> explain(explain);
        case PolicyRequest.Start start -> start(start.experiment());
        case PolicyRequest.Standing standing -> experiments.standing(standing.whole());
        case PolicyRequest.Stop _ -> stop();
      };
    } catch (ConfigException wrong) {
      throw new IllegalArgumentException(wrong.getMessage(), wrong);
    }
  }

  // ---- changes -------------------------------------------------------------------------------

  private synchronized String start(ExperimentRequest request) {
    return experiments.start(request, current);
  }

  private synchronized String stop() {
    return experiments.stop();
  }

  private synchronized String swap(PolicyRequest.Swap swap) {
    experiments.requireNone("a swap");
    ConfigNode.Mapping settings =
        switch (swap.settings()) {
          case PolicyRequest.Settings.Pairs(Map<String, String> pairs) -> catalog.settings(pairs);
          case PolicyRequest.Settings.Yaml(String source, String text) ->
              catalog.settings(source, text);
        };
    List<PolicyCatalog.Named> named = List.of(new PolicyCatalog.Named(swap.policy(), settings));
    return change(Map.of(swap.slot(), named), "swap");
  }

  private synchronized String swapAll(PolicySlot slot, List<PolicyCatalog.Named> named) {
    experiments.requireNone("a swap");
    return change(Map.of(slot, named), "swap");
  }

  private synchronized String revert(PolicySlot slot) {
    experiments.requireNone("a revert");
    if (!previous.containsKey(slot)) {
      throw new IllegalArgumentException(
          "["
              + slot.key()
              + "] has run ["
              + names(current.getOrDefault(slot, List.of()))
              + "] since the start: there is nothing to go back to");
    }
    return change(Map.of(slot, previous.getOrDefault(slot, List.of())), "revert");
  }

  private synchronized String reload() {
    experiments.requireNone("a reload");
    PolicyCatalog.Reloaded reloaded = catalog.reload();
    Map<PolicySlot, List<PolicyCatalog.Named>> read = reloaded.policies();
    Map<PolicySlot, List<PolicyCatalog.Named>> all = new EnumMap<>(PolicySlot.class);
    for (PolicySlot slot : PolicySlot.values()) {
      all.put(slot, read.getOrDefault(slot, List.of()));
    }
    ShadowPlan beside = catalog.shadows();
    reloaded.notes().forEach(note -> log.info("reload: {}", note));
    return change(all, "reload", reloaded.notes(), () -> shadows.configure(beside));
  }

  private String change(Map<PolicySlot, List<PolicyCatalog.Named>> wanted, String cause) {
    return change(wanted, cause, List.of(), () -> false);
  }

  private String change(
      Map<PolicySlot, List<PolicyCatalog.Named>> wanted,
      String cause,
      List<String> notes,
      BooleanSupplier alongside) {
    Map<PolicySlot, SlotPlan> plans = new EnumMap<>(PolicySlot.class);
    wanted.forEach((slot, named) -> plans.put(slot, catalog.bind(slot, named)));
    List<Outcome> outcomes = new ArrayList<>();
    for (LiveCell cell : cells) {
      Outcome outcome = new Outcome();
      await(
          cell.dispatcher()
              .change(() -> {
                Optional<Event> told = cell.host().change(plans, cause);
                outcome.begun = cell.host().begun(plans.keySet());
                outcome.changed = told.isPresent();
                return told;
              }));
      outcomes.add(outcome);
    }
    boolean more = alongside.getAsBoolean();
    if (!more && outcomes.stream().noneMatch(outcome -> outcome.changed)) {
      return answer(false, notes);
    }
    wanted.forEach((slot, named) -> {
      List<PolicyCatalog.Named> before = current.getOrDefault(slot, List.of());
      if (!before.equals(named)) {
        previous.put(slot, before);
        current.put(slot, named);
      }
      log.info("{}: [{}] runs [{}] from now on", cause, slot.key(), names(named));
    });
    try {
      CompletableFuture.allOf(
              outcomes.stream().map(outcome -> outcome.begun).toArray(CompletableFuture<?>[]::new))
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException untold) {
      log.debug("a policy is still being made", untold);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return answer(true, notes);
  }

  /** Written on the dispatcher before the change is done, read after it. */
  private static final class Outcome {
    private boolean changed;
    private CompletableFuture<Void> begun = CompletableFuture.completedFuture(null);
  }

  private static String names(List<PolicyCatalog.Named> named) {
    return named.isEmpty()
        ? SlotPlan.DEFAULT
        : String.join(", ", named.stream().map(PolicyCatalog.Named::policy).toList());
  }

  // ---- answers -------------------------------------------------------------------------------

  private synchronized String list() {
    return answer(false, List.of());
  }

  private String answer(boolean changed, List<String> notes) {
    CellsPicture picture = await(dispatchers.picture());
    ObjectNode root = mapper.createObjectNode();
    root.put("changed", changed);
    ArrayNode told = root.putArray("notes");
    notes.forEach(told::add);
    ArrayNode slots = root.putArray("slots");
    ArrayNode before = root.putArray("before");
    for (CellsPicture.Part part : picture.parts()) {
      for (PolicyFigures figures : part.picture().policies()) {
        boolean current = figures.serves() || !ended(figures);
        ObjectNode node = (current ? slots : before).addObject();
        if (picture.divided()) {
          node.put("cell", part.cell());
        }
        StatusReport.put(figures, node);
      }
    }
    ShadowReport.put(shadows.figures(), catalog.shadows().share(), root.putObject("shadows"));
    ObjectNode offered = root.putObject("offered");
    for (PolicySlot slot : PolicySlot.values()) {
      ArrayNode names = offered.putArray(slot.key());
      catalog.names(slot).forEach(names::add);
    }
    return mapper.writeValueAsString(root);
  }

  private static boolean ended(PolicyFigures figures) {
    return figures.state().equals("closed") || figures.state().equals("draining");
  }

  private String explain(PolicyRequest.Explain explain) {
    // One journal of all.
    return cells
        .getFirst()
        .host()
        .explain(explain.last(), explain.request(), explain.pages(), MOST_ANSWER_CHARACTERS);
  }

  private String settle(Duration within) {
    String awaited;
    try {
      awaited = dispatchers.settle(within);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while everything settles", interrupted);
    }
    if (awaited != null) {
      throw new IllegalStateException(
          "not settled within ["
              + within.toMillis()
              + "] ms: under way still are "
              + awaited
              + "; nothing can settle while other clients work, or while a policy does not answer"
              + " (`orbitkv policy list`)");
    }
    return mapper.createObjectNode().put("settled", true).toString();
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
