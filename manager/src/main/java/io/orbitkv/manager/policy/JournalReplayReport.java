package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What another policy would have decided on the inputs of a journal. */
public final class JournalReplayReport {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int MOST_PLACES = 5;

  private final Builder from;

  private JournalReplayReport(Builder from) {
    this.from = from;
  }

  private record Changed(String place, JournalReader.Recorded recorded, Decided was, Decided now) {}

  /** Gathers it. One thread. */
  static final class Builder {
    private final String policy;
    private final Set<PolicySlot> slots;
    private final int most;
    private long lines;
    private long unreadable;
    private long older;
    private long withoutInputs;
    private long otherSlots;
    private long repeated;
    private long told;
    private long same;
    private long changed;
    private long failed;
    private long sameChoiceOtherDetail;
    private final List<String> problems = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final List<Changed> changes = new ArrayList<>();
    private final Map<String, Long> moves = new TreeMap<>();

    Builder(String policy, Set<PolicySlot> slots, int most) {
      this.policy = policy;
      this.slots = slots;
      this.most = most;
    }

    void line() {
      lines++;
    }

    void unreadable(String place, String why) {
      unreadable++;
      problem("line " + place + " is unreadable: " + why);
    }

    void older(String place, String why) {
      older++;
      problem("line " + place + " is of another version: " + why);
    }

    private void problem(String text) {
      if (problems.size() < MOST_PLACES) {
        problems.add(text);
      }
    }

    void withoutInputs() {
      withoutInputs++;
    }

    void otherSlot() {
      otherSlots++;
    }

    void repeated() {
      repeated++;
    }

    void told() {
      told++;
    }

    void failed(String place, JournalReader.Recorded recorded, String why) {
      failed++;
      if (failures.size() < MOST_PLACES) {
        failures.add("line " + place + " (" + recorded.slot().key() + "): " + why);
      }
    }

    void decided(String place, JournalReader.Recorded recorded, Decided now) {
      Decided was = recorded.decided();
      if (recorded.inputs() instanceof Inputs.Pages pages) {
        // The journal has scores; what counts is their order.
        was =
            new Decided(
                was.choice(),
                was.reason(),
                JournalReplay.order(pages.first(), i -> pages.first().get(i).score()));
      }
      boolean equalChoice = was.choice().equals(now.choice());
      boolean equal = equalChoice && was.detail().equals(now.detail());
      if (equal) {
        same++;
      } else {
        changed++;
        sameChoiceOtherDetail += equalChoice ? 1 : 0;
        if (changes.size() < most) {
          changes.add(new Changed(place, recorded, was, now));
        }
      }
      String move =
          recorded.slot().key()
              + ": "
              + was.choice()
              + (equal ? " as before" : equalChoice ? ", but otherwise" : " → " + now.choice());
      moves.merge(move, 1L, Long::sum);
    }

    JournalReplayReport build() {
      return new JournalReplayReport(this);
    }
  }

  /** Decisions that were decided again. */
  public long decided() {
    return from.same + from.changed + from.failed;
  }

  /** Decisions that would be others. */
  public long changed() {
    return from.changed;
  }

  /** Questions to which the policy had no sensible answer. */
  public long failed() {
    return from.failed;
  }

  /** Lines that could not be used: unreadable, or of another version. */
  public long unusable() {
    return from.unreadable + from.older;
  }

  /** For people. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s in %s: %,d decisions decided again, %,d the same, %,d others, %,d without an"
                + " answer%n",
            from.policy,
            String.join(", ", from.slots.stream().map(PolicySlot::key).toList()),
            decided(),
            from.same,
            from.changed,
            from.failed));
    from.moves.forEach(
        (move, count) -> text.append(String.format(Locale.ROOT, "  %,8d  %s%n", count, move)));
    for (Changed change : from.changes) {
      text.append(
          String.format(
              Locale.ROOT,
              "%n%s  %s%s%n  %s: %s%n  %s: %s%n",
              change.recorded().time(),
              change.recorded().slot().key(),
              about(change.recorded()),
              change.recorded().byDefault() ? "default" : change.recorded().policy(),
              words(change.was()),
              from.policy,
              words(change.now())));
    }
    if (from.changed > from.changes.size()) {
      text.append(
          String.format(Locale.ROOT, "%n… and %,d more%n", from.changed - from.changes.size()));
    }
    from.failures.forEach(failure -> text.append("\nno answer, ").append(failure));
    text.append(from.failures.isEmpty() ? "" : "\n");
    text.append(
        String.format(
            Locale.ROOT,
            "%n%,d lines: %,d decisions without inputs, %,d of other slots, %,d repeated questions,"
                + " %,d adoptions told, %,d unreadable, %,d of another version%n",
            from.lines,
            from.withoutInputs,
            from.otherSlots,
            from.repeated,
            from.told,
            from.unreadable,
            from.older));
    from.problems.forEach(problem -> text.append("  ").append(problem).append('\n'));
    return text.append(
            "A journal is a sample: a policy that remembers has met here what it holds alone.\n")
        .toString();
  }

  private static String about(JournalReader.Recorded recorded) {
    return (recorded.request().isEmpty() ? "" : "  request " + recorded.request())
        + (recorded.chain().isEmpty() ? "" : "  chain " + recorded.chain());
  }

  private static String words(Decided decided) {
    return decided.choice()
        + (decided.reason().equals("untold") ? "" : ", " + decided.reason())
        + (decided.detail().isEmpty() ? "" : " (" + decided.detail() + ")");
  }

  /** One JSON object. */
  public String json() {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("policy", from.policy);
    ArrayNode slots = root.putArray("slots");
    from.slots.forEach(slot -> slots.add(slot.key()));
    root.put("lines", from.lines);
    root.put("decided", decided());
    root.put("same", from.same);
    root.put("changed", from.changed);
    root.put("same_choice_other_detail", from.sameChoiceOtherDetail);
    root.put("failed", from.failed);
    root.put("without_inputs", from.withoutInputs);
    root.put("other_slots", from.otherSlots);
    root.put("repeated", from.repeated);
    root.put("adoptions", from.told);
    root.put("unreadable", from.unreadable);
    root.put("other_version", from.older);
    ArrayNode problems = root.putArray("problems");
    from.problems.forEach(problems::add);
    ArrayNode failures = root.putArray("failures");
    from.failures.forEach(failures::add);
    ObjectNode moves = root.putObject("moves");
    from.moves.forEach(moves::put);
    ArrayNode changes = root.putArray("changes");
    for (Changed change : from.changes) {
      ObjectNode each = changes.addObject();
      each.put("line", change.place());
      each.put("time", change.recorded().time());
      each.put("slot", change.recorded().slot().key());
      if (!change.recorded().request().isEmpty()) {
        each.put("request", change.recorded().request());
      }
      if (!change.recorded().chain().isEmpty()) {
        each.put("chain", change.recorded().chain());
      }
      each.put("by_default", change.recorded().byDefault());
      put(each.putObject("was"), change.recorded().policy(), change.was());
      put(each.putObject("now"), from.policy, change.now());
    }
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root);
  }

  private static void put(ObjectNode node, String policy, Decided decided) {
    node.put("policy", policy);
    node.put("choice", decided.choice());
    node.put("reason", decided.reason());
    node.put("detail", decided.detail());
  }
}
