package io.orbitkv.manager.admin;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.manager.live.ExperimentRequest;
import io.orbitkv.manager.settings.Nearest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a client wants of the policies, out of its JSON. */
sealed interface PolicyRequest {
  /** Most entries of the journal in one answer. */
  int MOST_ENTRIES = 1000;

  /** Longest wait for everything to settle. */
  long MOST_SETTLE_MILLIS = 20_000;

  /** What serves in each slot. */
  record Listing() implements PolicyRequest {}

  /** Another policy in a slot. */
  record Swap(PolicySlot slot, String policy, Settings settings) implements PolicyRequest {}

  /**
   * Other policies in a slot.
   *
   * @param value what would stand behind the slot in the configuration
   */
  record SwapAll(PolicySlot slot, String value) implements PolicyRequest {}

  /** What served before. */
  record Revert(PolicySlot slot) implements PolicyRequest {}

  /** The file again. */
  record Reload() implements PolicyRequest {}

  /** Wait until nothing is under way. */
  record Settle(Duration within) implements PolicyRequest {}

  /**
   * Entries of the journal.
   *
   * @param request the engine's name of a request; empty for any
   * @param pages ids of the page that is asked about; empty for any
   */
  record Explain(int last, String request, List<Long> pages) implements PolicyRequest {
    public Explain {
      pages = List.copyOf(pages);
    }
  }

  /** Another policy is compared with what there is. */
  record Start(ExperimentRequest experiment) implements PolicyRequest {}

  /**
   * How an experiment stands.
   *
   * @param whole with everything that was measured
   */
  record Standing(boolean whole) implements PolicyRequest {}

  /** The experiment ends now. */
  record Stop() implements PolicyRequest {}

  /** Settings of a policy. */
  sealed interface Settings {
    /** By key. */
    record Pairs(Map<String, String> pairs) implements Settings {}

    /** In YAML. */
    record Yaml(String source, String text) implements Settings {}
  }

  /**
   * Reads a request.
   *
   * @throws IllegalArgumentException when it makes no sense
   */
  static PolicyRequest of(String json) {
    JsonNode root;
    try {
      root = JsonMapper.shared().readTree(json);
    } catch (JacksonException malformed) {
      throw new IllegalArgumentException(
          "a request about policies must be JSON: " + malformed.getOriginalMessage(), malformed);
    }
    String what = text(root, "do");
    return switch (what) {
      case "list" -> new Listing();
      case "reload" -> new Reload();
      case "revert" -> new Revert(slot(root));
      case "swap" -> swap(root);
      case "explain" -> explain(root);
      case "settle" -> settle(root);
      case "ab-start" -> new Start(ExperimentRequest.of(root));
      case "ab-status" -> new Standing(false);
      case "ab-report" -> new Standing(true);
      case "ab-stop" -> new Stop();
      default ->
          throw new IllegalArgumentException(
              "[do] is ["
                  + what
                  + "]: it must be one of list, swap, revert, reload, explain, settle, ab-start,"
                  + " ab-status, ab-report and ab-stop");
    };
  }

  private static PolicySlot slot(JsonNode root) {
    String key = required(root, "slot");
    for (PolicySlot slot : PolicySlot.values()) {
      if (slot.key().equals(key)) {
        return slot;
      }
    }
    throw new IllegalArgumentException(
        "["
            + key
            + "] is not a slot: "
            + Nearest.suggestion(
                key, Arrays.stream(PolicySlot.values()).map(PolicySlot::key).toList()));
  }

  private static PolicyRequest swap(JsonNode root) {
    PolicySlot slot = slot(root);
    String value = text(root, "value");
    if (value.isEmpty()) {
      return new Swap(slot, required(root, "policy"), settings(root));
    }
    for (String other : List.of("policy", "settings", "settings_yaml")) {
      if (root.has(other)) {
        throw new IllegalArgumentException(
            "[value] names policies with their settings: leave [" + other + "] out");
      }
    }
    return new SwapAll(slot, value);
  }

  private static Settings settings(JsonNode root) {
    String yaml = text(root, "settings_yaml");
    if (!yaml.isEmpty()) {
      return new Settings.Yaml(text(root, "settings_source"), yaml);
    }
    Map<String, String> pairs = new LinkedHashMap<>();
    JsonNode settings = root.path("settings");
    for (String key : settings.propertyNames()) {
      pairs.put(key, settings.path(key).asString(""));
    }
    return new Settings.Pairs(pairs);
  }

  private static Settle settle(JsonNode root) {
    long millis = root.path("within_ms").asLong(MOST_SETTLE_MILLIS / 2);
    if (millis < 1 || millis > MOST_SETTLE_MILLIS) {
      throw new IllegalArgumentException(
          "[within_ms] is [" + millis + "]: at least 1 and at most " + MOST_SETTLE_MILLIS);
    }
    return new Settle(Duration.ofMillis(millis));
  }

  private static Explain explain(JsonNode root) {
    int last = root.path("last").asInt(20);
    if (last < 1 || last > MOST_ENTRIES) {
      throw new IllegalArgumentException(
          "[last] is [" + last + "]: at least 1 and at most " + MOST_ENTRIES + " entries");
    }
    String page = text(root, "page");
    return new Explain(last, text(root, "request"), page.isEmpty() ? List.of() : pages(page));
  }

  private static List<Long> pages(String page) {
    String digits = page.strip().toLowerCase(Locale.ROOT);
    try {
      if (digits.length() == 16) {
        return List.of(HexFormat.fromHexDigitsToLong(digits));
      }
      if (digits.length() == 32) {
        return List.of(
            PageIds.of(
                HexFormat.fromHexDigitsToLong(digits, 0, 16),
                HexFormat.fromHexDigitsToLong(digits, 16, 32)));
      }
    } catch (IllegalArgumentException notHexadecimal) {
      throw badPage(page, notHexadecimal);
    }
    throw badPage(page, null);
  }

  private static IllegalArgumentException badPage(String page, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "page ["
            + page
            + "] must be 32 hexadecimal digits, a page's key, or 16, an id as the journal shows it",
        cause);
  }

  private static String required(JsonNode root, String name) {
    String value = text(root, name);
    if (value.isEmpty()) {
      throw new IllegalArgumentException("[" + name + "] is missing");
    }
    return value;
  }

  private static String text(JsonNode root, String name) {
    return root.path(name).asString("");
  }
}
