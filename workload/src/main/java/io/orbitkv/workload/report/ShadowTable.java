package io.orbitkv.workload.report;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** What a Manager's shadow policies would have kept, for people. */
final class ShadowTable {
  private ShadowTable() {}

  /** Empty without shadows. */
  static String of(JsonNode shadows) {
    String state = shadows.path("state").asString("off");
    if (state.equals("off")) {
      return "";
    }
    StringBuilder text = new StringBuilder("shadows: ");
    if (!state.equals("running")) {
      text.append(state);
      text.append(state.equals("waiting") ? " for lookups" : "");
      if (shadows.has("trouble")) {
        text.append(" (").append(shadows.path("trouble").asString("")).append(')');
      }
      return text.append('\n').toString();
    }
    text.append(Quantity.percent(shadows.path("sample_ratio").asDouble(0)));
    text.append(" of conversations and capacity since epoch ");
    text.append(shadows.path("epoch").asLong(0));
    text.append(" (").append(shadows.path("cause").asString("")).append("): ");
    text.append(Quantity.count(shadows.path("dram_pages").asLong(0))).append(" pages of memory, ");
    text.append(Quantity.count(shadows.path("ssd_pages").asLong(0)));
    text.append(" of the backing tier");
    text.append(
        shadows.path("turned_over").asBoolean(false)
            ? "\n"
            : "; a cold start: no tier has given up as many pages as it holds, so all do much the"
                + " same\n");
    lowered(shadows, text);
    lookups(shadows.path("lookups"), text);
    for (JsonNode slot : shadows.path("slots")) {
      slot(slot, text);
    }
    return text.toString();
  }

  /** A smaller sample than was asked for: what its memory can remember decides. */
  private static void lowered(JsonNode shadows, StringBuilder text) {
    double sample = shadows.path("sample_ratio").asDouble(0);
    double asked = shadows.path("asked_ratio").asDouble(sample);
    if (sample < asked) {
      text.append("  ").append(Quantity.percent(asked)).append(" was asked for: lowered, since ");
      text.append(Quantity.count(shadows.path("known_pages").asLong(0)));
      text.append(" pages at most are remembered; raise policies.shadow.memory\n");
    }
  }

  private static void lookups(JsonNode lookups, StringBuilder text) {
    text.append("  ").append(count(lookups, "sampled")).append(" of ");
    text.append(count(lookups, "offered")).append(" lookups served since the start");
    append(lookups, "waiting", " wait", text);
    append(lookups, "dropped", " dropped, as too many waited: regret is that of the others", text);
    append(lookups, "left_out", " left out, as miniatures cannot serve them", text);
    text.append('\n');
  }

  private static void append(JsonNode lookups, String name, String words, StringBuilder text) {
    if (lookups.path(name).asLong(0) > 0) {
      text.append("; ").append(count(lookups, name)).append(words);
    }
  }

  private static void slot(JsonNode slot, StringBuilder text) {
    text.append("  ").append(slot.path("slot").asString("")).append(": ");
    JsonNode regret = slot.path("regret");
    if (regret.isMissingNode()) {
      text.append("no regret is known, as what serves or every shadow has failed\n");
    } else {
      text.append("regret ").append(Quantity.count(regret.path("pages").asLong(0)));
      text.append(
          String.format(Locale.ROOT, " pages (%+.2f %%)", 100 * regret.path("ratio").asDouble(0)));
      text.append(" against ").append(name(regret, "best")).append('\n');
    }
    for (JsonNode mini : slot.path("miniatures")) {
      mini(mini, text);
    }
  }

  private static void mini(JsonNode mini, StringBuilder text) {
    text.append("    ").append(mini.path("role").asString("")).append(' ');
    text.append(name(mini, "policy"));
    if (!mini.path("state").asString("").equals("running")) {
      text.append(", ").append(mini.path("state").asString(""));
      text.append(": ").append(mini.path("trouble").asString("")).append('\n');
      return;
    }
    text.append(": hits ").append(Quantity.percent(mini.path("hit_ratio").asDouble(0)));
    text.append(", ").append(count(mini, "hit_pages")).append(" of ");
    text.append(count(mini, "looked_up_pages")).append(" pages; ");
    text.append(Quantity.bytes(mini.path("dram_written_bytes").asLong(0))).append(" into memory, ");
    text.append(Quantity.bytes(mini.path("ssd_written_bytes").asLong(0)));
    text.append(" to the backing tier\n");
  }

  private static String name(JsonNode node, String key) {
    String name = node.path(key).asString("");
    return node.has("settings") ? name + " {" + node.path("settings").asString("") + "}" : name;
  }

  private static String count(JsonNode node, String name) {
    return Quantity.count(node.path(name).asLong(0));
  }
}
