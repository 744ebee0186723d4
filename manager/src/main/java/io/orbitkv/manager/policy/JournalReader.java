package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads lines that {@link JournalJson} wrote. A field that an older Manager did not write is an
 * error of its own kind, {@link OlderLineException}: guessed facts give wrong decisions that nobody
 * notices.
 */
final class JournalReader {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private JournalReader() {}

  /** A line of the journal. */
  sealed interface Line {}

  /**
   * A decision.
   *
   * @param nanoTime in the time of the facts
   * @param inputs what the policy saw; null when the line has none
   */
  record Recorded(
      String time,
      long nanoTime,
      PolicySlot slot,
      String policy,
      long ticket,
      String request,
      String chain,
      Decided decided,
      boolean byDefault,
      @Nullable Inputs inputs)
      implements Line {}

  /** Who serves changes. */
  record Change(String cause, long seed) implements Line {}

  /** The line is one of another version: a field is missing. */
  static final class OlderLineException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private OlderLineException(String field) {
      super("field [" + field + "] is missing");
    }
  }

  /**
   * Reads one line.
   *
   * @throws OlderLineException when a field is missing
   * @throws IllegalArgumentException when it is no line of a journal
   */
  static Line line(String text) {
    JsonNode node;
    try {
      node = MAPPER.readTree(text);
    } catch (JacksonException broken) {
      throw new IllegalArgumentException("it is no JSON", broken);
    }
    if (node == null || !node.isObject()) {
      throw new IllegalArgumentException("it is no JSON object");
    }
    return switch (node.path("kind").asString("")) {
      case "decision" -> decision(node);
      case "boundary" -> new Change(text(node, "cause"), whole(node, "seed"));
      default ->
          throw new IllegalArgumentException(
              "kind [" + node.path("kind").asString("") + "] is neither decision nor boundary");
    };
  }

  private static Recorded decision(JsonNode node) {
    PolicySlot slot = slot(text(node, "slot"));
    JsonNode inputs = node.path("inputs");
    return new Recorded(
        text(node, "time"),
        whole(node, "nano_time"),
        slot,
        text(node, "policy"),
        whole(node, "ticket"),
        node.path("request").asString(""),
        node.path("chain").asString(""),
        new Decided(text(node, "choice"), text(node, "reason"), node.path("detail").asString("")),
        flag(node, "by_default"),
        inputs.isObject() ? inputs(slot, inputs) : null);
  }

  private static PolicySlot slot(String key) {
    for (PolicySlot slot : PolicySlot.values()) {
      if (slot.key().equals(key)) {
        return slot;
      }
    }
    throw new IllegalArgumentException("slot [" + key + "] is not known");
  }

  private static Inputs inputs(PolicySlot slot, JsonNode node) {
    return switch (slot) {
      case ADMISSION_DRAM, ADMISSION_SSD, ADMISSION_PROMOTE ->
          new Inputs.Chain(chain(object(node, "chain")), tier(object(node, "target")));
      case LOOKAHEAD, WARMING -> queue(array(node, "queue"));
      case CUTOFF ->
          node.path("progress").isObject() ? progress(object(node, "progress")) : read(node);
      case RETENTION_DRAM, RETENTION_SSD -> pages(node);
    };
  }

  private static Inputs read(JsonNode node) {
    JsonNode engine = object(node, "engine");
    return new Inputs.Read(
        request(object(node, "request")),
        tier(object(node, "source")),
        new EngineFacts(
            text(engine, "instance"),
            known(engine, "prefill_tokens_per_second"),
            known(engine, "prefill_age_nanos"),
            known(engine, "queued_tokens")));
  }

  private static Inputs progress(JsonNode node) {
    return new Inputs.Progress(
        new CutoffPolicy.ReadProgress(
            Duration.ofNanos(whole(node, "elapsed_nanos")),
            count(node, "batches"),
            count(node, "pages_read"),
            count(node, "pages_left")));
  }

  private static Inputs queue(JsonNode all) {
    List<RequestFacts> queue = new ArrayList<>();
    all.forEach(each -> queue.add(request(each)));
    return new Inputs.Queue(queue);
  }

  private static Inputs pages(JsonNode node) {
    List<Inputs.Page> first = new ArrayList<>();
    array(node, "first_pages")
        .forEach(page ->
            first.add(
                new Inputs.Page(
                    id(page, "id"),
                    id(page, "parent"),
                    count(page, "depth"),
                    count(page, "children"),
                    known(page, "bytes"),
                    known(page, "last_use_nanos"),
                    known(page, "uses"),
                    Origin.valueOf(text(page, "origin").toUpperCase(Locale.ROOT)).name(),
                    whole(page, "mark"),
                    whole(page, "score"))));
    return new Inputs.Pages(count(node, "page_count"), first);
  }

  private static ChainFacts chain(JsonNode node) {
    return new ChainFacts(
        id(node, "id"),
        id(node, "parent"),
        count(node, "depth"),
        count(node, "pages"),
        count(node, "children"),
        known(node, "bytes"),
        TierKind.valueOf(text(node, "tier").toUpperCase(Locale.ROOT)),
        known(node, "last_use_nanos"),
        known(node, "uses"),
        field(node, "unit_hash").asDouble());
  }

  private static TierFacts tier(JsonNode node) {
    return new TierFacts(
        TierKind.valueOf(text(node, "kind").toUpperCase(Locale.ROOT)),
        known(node, "capacity_bytes"),
        known(node, "free_bytes"),
        known(node, "queued_bytes"),
        known(node, "read_bytes_per_second"),
        known(node, "write_bytes_per_second"),
        known(node, "read_latency_nanos"),
        known(node, "write_budget_left_bytes"));
  }

  private static RequestFacts request(JsonNode node) {
    List<RequestFacts.Hint> hints = new ArrayList<>();
    object(node, "hints")
        .properties()
        .forEach(hint -> hints.add(new RequestFacts.Hint(hint.getKey(), hint.getValue().asLong())));
    return new RequestFacts(
        text(node, "instance"),
        text(node, "request"),
        text(node, "scope"),
        known(node, "arrival_nanos"),
        count(node, "tokens"),
        count(node, "pages"),
        chain(object(node, "chain")),
        count(node, "device_pages"),
        count(node, "dram_pages"),
        count(node, "ssd_pages"),
        flag(node, "executing"),
        hints,
        count(node, "groups"));
  }

  private static JsonNode field(JsonNode node, String name) {
    JsonNode value = node.get(name);
    if (value == null) {
      throw new OlderLineException(name);
    }
    return value;
  }

  private static String text(JsonNode node, String name) {
    JsonNode value = field(node, name);
    if (!value.isString()) {
      throw wrong(name, value);
    }
    return value.asString();
  }

  private static boolean flag(JsonNode node, String name) {
    JsonNode value = field(node, name);
    if (!value.isBoolean()) {
      throw wrong(name, value);
    }
    return value.asBoolean();
  }

  private static long whole(JsonNode node, String name) {
    JsonNode value = field(node, name);
    if (!value.isIntegralNumber()) {
      throw wrong(name, value);
    }
    return value.asLong();
  }

  private static int count(JsonNode node, String name) {
    long value = whole(node, name);
    if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
      throw wrong(name, field(node, name));
    }
    return (int) value;
  }

  /** Null stands for what is not known. */
  private static long known(JsonNode node, String name) {
    return field(node, name).isNull() ? Facts.UNKNOWN : whole(node, name);
  }

  private static long id(JsonNode node, String name) {
    if (field(node, name).isNull()) {
      return Facts.UNKNOWN;
    }
    return Long.parseUnsignedLong(text(node, name), 16);
  }

  private static JsonNode object(JsonNode node, String name) {
    JsonNode value = field(node, name);
    if (!value.isObject()) {
      throw wrong(name, value);
    }
    return value;
  }

  private static JsonNode array(JsonNode node, String name) {
    JsonNode value = field(node, name);
    if (!value.isArray()) {
      throw wrong(name, value);
    }
    return value;
  }

  private static IllegalArgumentException wrong(String name, JsonNode value) {
    String shown = value.toString();
    return new IllegalArgumentException(
        "field ["
            + name
            + "] is ["
            + (shown.length() > 40 ? shown.substring(0, 40) + "…" : shown)
            + "], of another kind than expected");
  }
}
