package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalReplayTest {
  private static final Reason WHY = Reason.of("why");
  private static final TierFacts SSD =
      new TierFacts(TierKind.SSD, 100, 50, Facts.UNKNOWN, 1, 2, 3, Facts.UNKNOWN);

  @TempDir Path folder;
  private final List<String> lines = new ArrayList<>();
  private long ticket;

  private static ChainFacts chain(long id, long uses) {
    return new ChainFacts(id, Facts.UNKNOWN, 3, 4, 5, 6, TierKind.DRAM, Facts.UNKNOWN, uses, 0.25);
  }

  private static RequestFacts request(String id) {
    return new RequestFacts(
        "engine",
        id,
        "tenant",
        7,
        100,
        6,
        chain(9, 1),
        1,
        2,
        3,
        false,
        List.of(new RequestFacts.Hint("priority", 5)),
        2);
  }

  private void add(PolicySlot slot, Decided decided, Inputs inputs) {
    add(slot, decided, inputs, ++ticket);
  }

  private void add(PolicySlot slot, Decided decided, Inputs inputs, long ofTicket) {
    lines.add(
        JournalJson.line(
            new JournalEntry.Decision(
                1_000,
                lines.size(),
                1,
                "none",
                slot,
                "before",
                ofTicket,
                "",
                9,
                decided.choice(),
                decided.reason(),
                decided.detail(),
                10,
                false,
                inputs)));
  }

  private JournalReplayReport replay(
      PolicySlot slot, Function<PolicyContext, ? extends Policy> create) throws IOException {
    Path journal = folder.resolve("journal.jsonl");
    Files.write(journal, lines);
    return new JournalReplay("after", Set.of(slot), create, 10).run(List.of(journal));
  }

  private static AdmissionPolicy usedOnly() {
    return (chain, _) -> chain.uses() > 0 ? Admission.admit(WHY) : Admission.drop(WHY);
  }

  @Test
  void lines_areReadBackAsTheyWereWritten() {
    Inputs.Page page = new Inputs.Page(-1L << 63, 8, 1, 2, 3, 4, 5, "DEMAND", -6, 7);
    List<Inputs> all =
        List.of(
            new Inputs.Chain(chain(-5, 0), SSD),
            new Inputs.Read(request("r"), SSD, new EngineFacts("engine", 4, 5, 6)),
            new Inputs.Progress(new CutoffPolicy.ReadProgress(Duration.ofNanos(5), 1, 2, 3)),
            new Inputs.Queue(List.of(request("a"), request("b"))),
            new Inputs.Pages(40, List.of(page)));
    List<PolicySlot> slots =
        List.of(
            PolicySlot.ADMISSION_DRAM,
            PolicySlot.CUTOFF,
            PolicySlot.CUTOFF,
            PolicySlot.LOOKAHEAD,
            PolicySlot.RETENTION_SSD);
    for (int i = 0; i < all.size(); i++) {
      add(slots.get(i), new Decided("choice", "why", "detail"), all.get(i));

      JournalReader.Recorded read = (JournalReader.Recorded) JournalReader.line(lines.getLast());

      assertThat(read.inputs()).isEqualTo(all.get(i));
      assertThat(read.decided()).isEqualTo(new Decided("choice", "why", "detail"));
      assertThat(read.slot()).isEqualTo(slots.get(i));
    }
  }

  @Test
  void decisions_thatWouldBeOthers_areCountedAndShown() throws IOException {
    Decided admitted = new Decided("admit", "all", "");
    add(PolicySlot.ADMISSION_SSD, admitted, new Inputs.Chain(chain(1, 2), SSD));
    add(PolicySlot.ADMISSION_SSD, admitted, new Inputs.Chain(chain(2, 0), SSD));
    add(PolicySlot.ADMISSION_DRAM, admitted, new Inputs.Chain(chain(3, 0), SSD));

    JournalReplayReport report = replay(PolicySlot.ADMISSION_SSD, _ -> usedOnly());

    assertThat(report.decided()).isEqualTo(2);
    assertThat(report.changed()).isEqualTo(1);
    assertThat(report.json())
        .contains("\"admission.ssd: admit → drop\" : 1", "\"other_slots\" : 1", "\"line\" : \"2\"");
    assertThat(report.text()).contains("1 the same, 1 others", "after: drop, why");
  }

  @Test
  void policyWithAMemory_remembersFromLineToLine_untilTheManagerStartsAgain() throws IOException {
    Decided dropped = new Decided("drop", "new", "");
    add(PolicySlot.ADMISSION_SSD, dropped, new Inputs.Chain(chain(1, 0), SSD));
    add(PolicySlot.ADMISSION_SSD, dropped, new Inputs.Chain(chain(1, 0), SSD));
    lines.add(JournalJson.line(new JournalEntry.Boundary(1, 2, "none", "start", 3, List.of())));
    add(PolicySlot.ADMISSION_SSD, dropped, new Inputs.Chain(chain(1, 0), SSD));

    JournalReplayReport report =
        replay(
            PolicySlot.ADMISSION_SSD,
            context -> {
              History seen = context.history(10);
              AdmissionPolicy policy =
                  (chain, _) ->
                      seen.touch(chain.id()) > 1 ? Admission.admit(WHY) : Admission.drop(WHY);
              return policy;
            });

    assertThat(report.decided()).isEqualTo(3);
    assertThat(report.changed()).isEqualTo(1);
  }

  @Test
  void scores_areComparedByTheirOrder() throws IOException {
    Inputs.Page cold = new Inputs.Page(1, -1, 0, 0, 1, 100, 1, "PUBLISH", 0, 1_000);
    Inputs.Page warm = new Inputs.Page(2, -1, 0, 0, 1, 200, 1, "PUBLISH", 0, 2_000);
    Decided scored = new Decided("scored", "untold", "2 pages");
    add(PolicySlot.RETENTION_DRAM, scored, new Inputs.Pages(2, List.of(cold, warm)));

    assertThat(replay(PolicySlot.RETENTION_DRAM, _ -> byUse(1)).changed()).isZero();
    assertThat(replay(PolicySlot.RETENTION_DRAM, _ -> byUse(-1)).changed()).isEqualTo(1);
  }

  private static RetentionPolicy byUse(int sign) {
    return new RetentionPolicy() {
      @Override
      public void observe(PageEvents events) {}

      @Override
      public void score(PageBatch candidates, long[] scores) {
        for (int i = 0; i < candidates.size(); i++) {
          scores[i] = sign * candidates.lastUseNanos(i);
        }
      }
    };
  }

  @Test
  void policyThatThrowsOrAnswersNonsense_isNamedWithItsLine() throws IOException {
    add(
        PolicySlot.LOOKAHEAD,
        new Decided("nothing", "untold", ""),
        new Inputs.Queue(List.of(request("a"))));

    LookaheadPolicy outside = _ -> List.of(7);
    LookaheadPolicy throwing =
        _ -> {
          throw new IllegalStateException("broken");
        };

    JournalReplayReport nonsense = replay(PolicySlot.LOOKAHEAD, _ -> outside);
    JournalReplayReport thrown = replay(PolicySlot.LOOKAHEAD, _ -> throwing);

    assertThat(nonsense.failed()).isEqualTo(1);
    assertThat(nonsense.text()).contains("makes no sense: [7]");
    assertThat(thrown.text()).contains("line 1 (lookahead)", "broken");
  }

  @Test
  void linesThatCannotBeUsed_areCountedByTheirKind() throws IOException {
    lines.add("{torn");
    lines.add("{\"kind\": \"other\"}");
    Decided admitted = new Decided("admit", "all", "");
    add(PolicySlot.ADMISSION_SSD, admitted, new Inputs.Chain(chain(1, 2), SSD));
    lines.add(lines.getLast().replace("\"unit_hash\"", "\"hash\""));

    JournalReplayReport report = replay(PolicySlot.ADMISSION_SSD, _ -> usedOnly());

    assertThat(report.unusable()).isEqualTo(3);
    assertThat(report.json()).contains("\"unreadable\" : 2", "\"other_version\" : 1");
    assertThat(report.text())
        .contains("line 1 is unreadable", "line 4 is of another version", "[unit_hash]");
  }

  @Test
  void questionToAListOfCutoffs_isDecidedOnce() throws IOException {
    Inputs read = new Inputs.Read(request("r"), SSD, new EngineFacts("engine", 4, 5, 6));
    add(PolicySlot.CUTOFF, new Decided("whole", "default", ""), read, 77);
    add(PolicySlot.CUTOFF, new Decided("whole", "default", ""), read, 77);

    CutoffPolicy whole = (_, _, _) -> CutoffPolicy.ReadLimits.none(WHY);
    JournalReplayReport report = replay(PolicySlot.CUTOFF, _ -> whole);

    assertThat(report.decided()).isEqualTo(1);
    assertThat(report.changed()).isZero();
    assertThat(report.json()).contains("\"repeated\" : 1");
  }
}
