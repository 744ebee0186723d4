package io.orbitkv.cli;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.policy.JournalReplay;
import io.orbitkv.manager.policy.JournalReplayReport;
import io.orbitkv.workload.policy.BenchedPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "replay",
    description = {
      "Decide again what a journal recorded, with the policy of a plugin's zip, and show what would"
          + " change. Installs nothing and asks no Manager.",
      "",
      "A Manager writes the journal that 'policies.journal.file' names; one decision in 'sample'"
          + " has all that the policy saw. Lines without that, of other slots, unreadable ones and"
          + " those of another version are counted. A journal is a sample, so a policy that"
          + " remembers has met here what it holds alone."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv policy replay policies.jsonl --with target/my-policy-1.0.0.zip",
      "  orbitkv policy replay policies.jsonl.1 policies.jsonl --with my.zip --slot admission.ssd"
          + " --json"
    })
final class PolicyReplayCommand extends BaseCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "JOURNAL",
      arity = "1..*",
      description = "Files of the journal, the oldest first.")
  private List<Path> journals = new ArrayList<>();

  @Option(
      names = "--with",
      paramLabel = "ZIP",
      order = 1,
      required = true,
      description = "Plugin whose policy decides again.")
  private Path zip = Path.of("");

  @Option(
      names = "--slot",
      paramLabel = "SLOT",
      order = 2,
      description =
          "Only decisions of this slot or role, such as admission.ssd. Default: of all slots that"
              + " the policy serves in.")
  private @Nullable String slot;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      order = 3,
      description = "Which policy, when the plugin has several.")
  private @Nullable String policy;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      order = 4,
      description = "A setting of the policy; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--changes",
      paramLabel = "N",
      order = 5,
      defaultValue = "10",
      description = "Changed decisions that are shown. Default: ${DEFAULT-VALUE}.")
  private int changes;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    if (changes < 0 || changes > 100_000) {
      throw CommandException.usage("--changes [" + changes + "] must be 0 to 100,000");
    }
    for (Path journal : journals) {
      if (!Files.isRegularFile(journal)) {
        throw CommandException.usage(
            "journal ["
                + journal
                + "] is no file: name the one that policies.journal.file says in the"
                + " configuration");
      }
    }
    try (BenchPolicies loaded = BenchPolicies.load(List.of(zip))) {
      TriedPolicy tried = TriedPolicy.of(loaded, zip, policy);
      @Nullable String named = slot;
      Set<PolicySlot> slots = named == null ? tried.slots() : tried.in("--slot", named);
      BenchedPolicy own = tried.benched(loaded, settings);
      JournalReplay replay = new JournalReplay(tried.policy(), slots, own.create(), changes);
      JournalReplayReport report =
          CallGuard.run(
              () -> replay.run(journals),
              replay::callNanos,
              () ->
                  "policy ["
                      + tried.policy()
                      + "] does not return from a call: a Manager would abandon it after 1 s");
      out().print(json.json() ? report.json() + "\n" : report.text());
      if (report.decided() == 0) {
        err()
            .println(
                Main.program()
                    + ": nothing was decided again: the journal has no decision with inputs of "
                    + slots.stream().map(PolicySlot::key).toList()
                    + "; lower policies.journal.sample");
      }
      return report.failed() > 0 ? Errors.FAILURE : 0;
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }
}
