package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lines of the journal as JSON objects. Keys are snake case and carry their unit. What is unknown
 * is null; ids are 16 hexadecimal digits.
 */
final class JournalJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private JournalJson() {}

  /** One line, without its end. */
  static String line(JournalEntry entry) {
    return MAPPER.writeValueAsString(put(entry, MAPPER.createObjectNode()));
  }

  /** Fills a node with an entry. */
  static ObjectNode put(JournalEntry entry, ObjectNode node) {
    return switch (entry) {
      case JournalEntry.Decision decision -> put(decision, node);
      case JournalEntry.Boundary boundary -> put(boundary, node);
    };
  }

  /** The id of a page or chain as it is shown. */
  static String id(long id) {
    return HexFormat.of().toHexDigits(id);
  }

  private static ObjectNode put(JournalEntry.Decision decision, ObjectNode node) {
    node.put("kind", "decision");
    node.put("time", Instant.ofEpochMilli(decision.timeMillis()).toString());
    node.put("nano_time", decision.nanoTime());
    node.put("epoch", decision.epoch());
    node.put("variant", decision.variant());
    node.put("slot", decision.slot().key());
    node.put("policy", decision.policy());
    node.put("ticket", decision.ticket());
    if (!decision.request().isEmpty()) {
      node.put("request", decision.request());
    }
    if (decision.chain() != Facts.UNKNOWN) {
      node.put("chain", id(decision.chain()));
    }
    node.put("choice", decision.choice());
    node.put("reason", decision.reason());
    if (!decision.detail().isEmpty()) {
      node.put("detail", decision.detail());
    }
    node.put("by_default", decision.byDefault());
    node.put("call_nanos", decision.nanos());
    Inputs inputs = decision.inputs();
    if (inputs != null) {
      put(inputs, node.putObject("inputs"));
    }
    return node;
  }

  private static ObjectNode put(JournalEntry.Boundary boundary, ObjectNode node) {
    node.put("kind", "boundary");
    node.put("time", Instant.ofEpochMilli(boundary.timeMillis()).toString());
    node.put("epoch", boundary.epoch());
    node.put("variant", boundary.variant());
    node.put("cause", boundary.cause());
    node.put("seed", boundary.seed());
    ArrayNode slots = node.putArray("slots");
    for (JournalEntry.Served served : boundary.slots()) {
      ObjectNode slot = slots.addObject();
      slot.put("slot", served.slot());
      slot.put("serves", served.serves());
      slot.put("fresh", served.fresh());
    }
    return node;
  }

  private static void put(Inputs inputs, ObjectNode node) {
    switch (inputs) {
      case Inputs.Chain(ChainFacts chain, TierFacts target) -> {
        put(chain, node.putObject("chain"));
        put(target, node.putObject("target"));
      }
      case Inputs.Read(RequestFacts request, TierFacts source, EngineFacts engine) -> {
        put(request, node.putObject("request"));
        put(source, node.putObject("source"));
        ObjectNode facts = node.putObject("engine");
        facts.put("instance", engine.instance());
        number(facts, "prefill_tokens_per_second", engine.prefillTokensPerSecond());
        number(facts, "prefill_age_nanos", engine.prefillAgeNanos());
        number(facts, "queued_tokens", engine.queuedTokens());
      }
      case Inputs.Progress(CutoffPolicy.ReadProgress progress) -> {
        ObjectNode facts = node.putObject("progress");
        facts.put("elapsed_nanos", progress.elapsed().toNanos());
        facts.put("batches", progress.batches());
        facts.put("pages_read", progress.pagesRead());
        facts.put("pages_left", progress.pagesLeft());
      }
      case Inputs.Queue queue -> {
        ArrayNode requests = node.putArray("queue");
        queue.queue().forEach(request -> put(request, requests.addObject()));
      }
      case Inputs.Pages pages -> {
        node.put("page_count", pages.count());
        ArrayNode first = node.putArray("first_pages");
        pages.first().forEach(page -> put(page, first.addObject()));
      }
    }
  }

  private static void put(ChainFacts chain, ObjectNode node) {
    node.put("id", id(chain.id()));
    if (chain.parent() == Facts.UNKNOWN) {
      node.putNull("parent");
    } else {
      node.put("parent", id(chain.parent()));
    }
    node.put("depth", chain.depth());
    node.put("pages", chain.pages());
    node.put("children", chain.children());
    number(node, "bytes", chain.bytes());
    node.put("tier", chain.tier().name().toLowerCase(Locale.ROOT));
    number(node, "last_use_nanos", chain.lastUseNanos());
    number(node, "uses", chain.uses());
    node.put("unit_hash", chain.unitHash());
  }

  private static void put(TierFacts tier, ObjectNode node) {
    node.put("kind", tier.kind().name().toLowerCase(Locale.ROOT));
    number(node, "capacity_bytes", tier.capacityBytes());
    number(node, "free_bytes", tier.freeBytes());
    number(node, "queued_bytes", tier.queuedBytes());
    number(node, "read_bytes_per_second", tier.readBytesPerSecond());
    number(node, "write_bytes_per_second", tier.writeBytesPerSecond());
    number(node, "read_latency_nanos", tier.readLatencyNanos());
    number(node, "write_budget_left_bytes", tier.writeBudgetLeft());
  }

  private static void put(RequestFacts request, ObjectNode node) {
    node.put("instance", request.instance());
    node.put("request", request.requestId());
    node.put("scope", request.scope());
    number(node, "arrival_nanos", request.arrivalNanos());
    node.put("tokens", request.tokens());
    node.put("pages", request.pages());
    put(request.chain(), node.putObject("chain"));
    node.put("device_pages", request.devicePages());
    node.put("dram_pages", request.dramPages());
    node.put("ssd_pages", request.ssdPages());
    node.put("executing", request.executing());
    ObjectNode hints = node.putObject("hints");
    request.hints().forEach(hint -> hints.put(hint.name(), hint.value()));
    node.put("groups", request.groups());
  }

  private static void put(Inputs.Page page, ObjectNode node) {
    node.put("id", id(page.id()));
    if (page.parent() == Facts.UNKNOWN) {
      node.putNull("parent");
    } else {
      node.put("parent", id(page.parent()));
    }
    node.put("depth", page.depth());
    node.put("children", page.children());
    number(node, "bytes", page.bytes());
    number(node, "last_use_nanos", page.lastUseNanos());
    number(node, "uses", page.uses());
    node.put("origin", page.origin().toLowerCase(Locale.ROOT));
    node.put("mark", page.mark());
    node.put("score", page.score());
  }

  private static void number(ObjectNode node, String name, long value) {
    if (value == Facts.UNKNOWN) {
      node.putNull(name);
    } else {
      node.put(name, value);
    }
  }
}
