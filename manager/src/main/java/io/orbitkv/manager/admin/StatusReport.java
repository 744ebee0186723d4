package io.orbitkv.manager.admin;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.session.SessionInfo;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The Manager's status as JSON. Keys are snake case and carry their unit; they are part of what
 * users build on.
 *
 * @param version of the Manager
 * @param epoch of the Manager
 * @param socket path
 * @param uptimeNanos since the start
 * @param draining whether nothing new is taken
 * @param sessionLimit most sessions
 * @param kernel the kernel's picture
 * @param poolReadyPercent of the pool that can be allocated from
 * @param failedChunks of the pool
 * @param backingTier name of the tier behind host memory; empty without one
 * @param backing its use; null without one, or when it does not tell
 * @param backlog messages that wait for the dispatcher
 * @param sessions connected
 * @param plugins loaded
 * @param refusals of plugins, a line each
 * @param policies by slot, and those that served before
 * @param cells that tiers and budgets are divided into; empty when they are not
 */
public record StatusReport(
    String version,
    long epoch,
    String socket,
    long uptimeNanos,
    boolean draining,
    int sessionLimit,
    KernelStatus kernel,
    int poolReadyPercent,
    int failedChunks,
    String backingTier,
    @Nullable BackingUsage backing,
    int backlog,
    List<SessionInfo> sessions,
    List<PluginLine> plugins,
    List<RefusalLine> refusals,
    List<PolicyFigures> policies,
    List<CellReport> cells) {
  private static final double NANOS_A_SECOND = 1e9;

  /** A loaded plugin. */
  public record PluginLine(String id, String version, String state) {}

  /** A refused plugin. */
  public record RefusalLine(String plugin, String reason) {}

  /** Copies the lists. */
  public StatusReport {
    sessions = List.copyOf(sessions);
    plugins = List.copyOf(plugins);
    refusals = List.copyOf(refusals);
    policies = List.copyOf(policies);
    cells = List.copyOf(cells);
  }

  /** The report as one JSON object. */
  public String json(JsonMapper mapper) {
    ObjectNode root = mapper.createObjectNode();
    root.put("version", version);
    root.put("epoch", epoch);
    root.put("socket", socket);
    root.put("uptime_seconds", uptimeNanos / NANOS_A_SECOND);
    root.put("draining", draining);
    putKernel(root, kernel);
    ObjectNode pool = root.putObject("pool");
    putPool(pool, kernel.memory());
    pool.put("ready_percent", poolReadyPercent);
    pool.put("failed_chunks", failedChunks);
    if (!backingTier.isEmpty()) {
      putBacking(root.putObject("backing"), backing);
    }
    root.put("dispatcher_backlog", backlog);
    root.put("session_limit", sessionLimit);
    putCounters(root.putObject("counters"), kernel);
    if (!cells.isEmpty()) {
      putCells(root.putArray("cells"));
    }
    putSessions(root.putArray("session_list"));
    putPlugins(root);
    putPolicies(policies, root.putArray("policies"));
    return mapper.writeValueAsString(root);
  }

  private void putCells(ArrayNode list) {
    for (CellReport cell : cells) {
      ObjectNode node = list.addObject();
      node.put("cell", cell.cell());
      node.put("variant", cell.variant());
      node.put("assigned_instances", cell.assigned());
      ArrayNode names = node.putArray("instance_names");
      cell.instances().forEach(names::add);
      putKernel(node, cell.kernel());
      putPool(node.putObject("pool"), cell.kernel().memory());
      if (!backingTier.isEmpty()) {
        putBacking(node.putObject("backing"), cell.backing());
      }
      putCounters(node.putObject("counters"), cell.kernel());
      putPolicies(cell.policies(), node.putArray("policies"));
    }
  }

  private static void putCounters(ObjectNode node, KernelStatus kernel) {
    kernel.counters().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> node.put(entry.getKey(), entry.getValue()));
  }

  private static void putKernel(ObjectNode root, KernelStatus kernel) {
    root.put("reserved_bytes", kernel.reservedBytes());
    root.put("reserved_peak_bytes", kernel.reservedPeakBytes());
    root.put("speculative_bytes", kernel.speculativeBytes());
    ObjectNode phases = root.putObject("reserved_by_phase");
    kernel.reservedByPhase().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry -> phases.put(entry.getKey().name().toLowerCase(Locale.ROOT), entry.getValue()));
    root.put("budget_bytes", kernel.budgetBytes());
    root.put("resident_pages", kernel.residentPages());
    root.put("resident_bytes", kernel.residentBytes());
    root.put("unsealed_pages", kernel.unsealedPages());
    root.put("unsealed_bytes", kernel.unsealedBytes());
    root.put("reading_pages", kernel.readingPages());
    root.put("reading_bytes", kernel.readingBytes());
    root.put("orphan_bytes", kernel.orphanBytes());
    root.put("quarantined_bytes", kernel.quarantinedBytes());
    root.put("leaked_bytes", kernel.leakedBytes());
    root.put("speculated_bytes", kernel.speculatedBytes());
    root.put("stored_pages", kernel.storedPages());
    root.put("queued_writes", kernel.queuedWrites());
    root.put("queued_write_bytes", kernel.queuedWriteBytes());
    root.put("sessions", kernel.sessions());
    root.put("instances", kernel.instances());
    root.put("operations", kernel.operations());
    root.put("leases", kernel.leases());
    root.put("copies", kernel.copies());
    root.put("reads", kernel.reads());
    root.put("writes", kernel.writes());
  }

  private static void putPool(ObjectNode pool, MemoryUsage memory) {
    pool.put("capacity_bytes", memory.capacityBytes());
    pool.put("active_bytes", memory.activeBytes());
    pool.put("allocated_bytes", memory.allocatedBytes());
    pool.put("largest_free_bytes", memory.largestFreeBytes());
    pool.put("free_bytes", memory.freeBytes());
    pool.put("allocation_failures", memory.allocationFailures());
    pool.put("huge_page_bytes", memory.hugePageBytes());
  }

  private void putBacking(ObjectNode node, @Nullable BackingUsage usage) {
    node.put("tier", backingTier);
    if (usage == null) {
      node.put("degraded", "it does not tell its use");
      return;
    }
    node.put("engine", usage.engine());
    node.put("capacity_bytes", usage.capacityBytes());
    node.put("used_bytes", usage.usedBytes());
    node.put("pages", usage.pages());
    node.put("queued_read_bytes", usage.queuedReadBytes());
    node.put("queued_write_bytes", usage.queuedWriteBytes());
    node.put("written_bytes", usage.writtenBytes());
    node.put("payload_written_bytes", usage.payloadWrittenBytes());
    node.put("write_amplification", usage.writeAmplification());
    if (usage.writeBudgetLeftBytes() == BackingUsage.UNLIMITED) {
      node.putNull("write_budget_left_bytes");
    } else {
      node.put("write_budget_left_bytes", usage.writeBudgetLeftBytes());
    }
    node.put("degraded", usage.degraded());
  }

  private void putSessions(ArrayNode list) {
    for (SessionInfo session : sessions) {
      ObjectNode node = list.addObject();
      node.put("session", session.session());
      node.put("principal", session.principal());
      node.put("client", session.client());
      node.put("pid", session.pid());
      node.put("features", session.features());
      node.put("age_seconds", session.ageNanos() / NANOS_A_SECOND);
      node.put("waiting_replies", session.waitingReplies());
    }
  }

  private void putPlugins(ObjectNode root) {
    ArrayNode loaded = root.putArray("plugins");
    for (PluginLine plugin : plugins) {
      ObjectNode node = loaded.addObject();
      node.put("id", plugin.id());
      node.put("version", plugin.version());
      node.put("state", plugin.state());
    }
    ArrayNode refused = root.putArray("refused_plugins");
    for (RefusalLine refusal : refusals) {
      ObjectNode node = refused.addObject();
      node.put("plugin", refusal.plugin());
      node.put("reason", refusal.reason());
    }
  }

  // What serves, and what is still draining or left a stuck thread; other policies of the past are
  // in the metrics.
  private static void putPolicies(List<PolicyFigures> policies, ArrayNode list) {
    for (PolicyFigures policy : policies) {
      if (!policy.state().equals("closed") || policy.leaked()) {
        put(policy, list.addObject());
      }
    }
  }

  /** One policy in one slot. */
  static void put(PolicyFigures policy, ObjectNode node) {
    node.put("slot", policy.slot());
    node.put("policy", policy.policy());
    if (!policy.settings().isEmpty()) {
      node.put("settings", policy.settings());
    }
    node.put("state", policy.state());
    node.put("serves", policy.serves());
    node.put("variant", policy.variant());
    node.put("epoch", policy.epoch());
    node.put("asked", policy.asked());
    node.put("answered", policy.answered());
    node.put("late", policy.late());
    node.put("failed", policy.failed());
    node.put("open", policy.open());
    node.put("facts", policy.facts());
    node.put("dropped_facts", policy.droppedFacts());
    node.put("class_loader_leaked", policy.leaked());
  }
}
