package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.List;
import java.util.function.Predicate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Entries of the journal as one JSON object. */
final class Explanation {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Explanation() {}

  static String of(
      Journal journal, int last, String request, List<Long> pages, int mostCharacters) {
    boolean all = request.isEmpty() && pages.isEmpty();
    Predicate<JournalEntry> wanted =
        entry ->
            entry instanceof JournalEntry.Decision decision
                ? concerns(decision, request, pages)
                : all;
    List<JournalEntry> entries = journal.last(last, wanted);
    int characters = 0;
    int first = entries.size();
    while (first > 0 && characters < mostCharacters) {
      first--;
      characters += JournalJson.line(entries.get(first)).length();
    }
    if (characters > mostCharacters && first < entries.size() - 1) {
      first++;
    }
    ObjectNode root = MAPPER.createObjectNode();
    Journal.Figures figures = journal.figures();
    root.put("decisions", figures.decisions());
    root.put("with_inputs", figures.sampled());
    root.put("kept", figures.kept());
    root.put("overwritten", figures.overwritten());
    root.put("left_out", first);
    ArrayNode list = root.putArray("entries");
    for (JournalEntry entry : entries.subList(first, entries.size())) {
      JournalJson.put(entry, list.addObject());
    }
    return MAPPER.writeValueAsString(root);
  }

  private static boolean concerns(
      JournalEntry.Decision decision, String request, List<Long> pages) {
    boolean ofRequest =
        request.isEmpty()
            || decision.request().equals(request)
            || (decision.inputs() instanceof Inputs.Queue queue
                && queue.queue().stream().anyMatch(each -> each.requestId().equals(request))
                && (decision.slot() == PolicySlot.LOOKAHEAD
                    || decision.slot() == PolicySlot.WARMING));
    return ofRequest && (pages.isEmpty() || pages.stream().anyMatch(decision::concerns));
  }
}
