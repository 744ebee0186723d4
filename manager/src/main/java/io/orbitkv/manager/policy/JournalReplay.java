package io.orbitkv.manager.policy;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.WarmingPolicy;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * What a journal holds is a sample: what the policy was told between two of its lines it does not
 * know here, so a policy with a memory decides as one that met this sample alone. The report says
 * so. Time is that of the lines, chance that of the seed: the same journal gives the same report.
 */

/**
 * Decides recorded inputs again, with another policy. One thread runs it; any may ask how long the
 * call under way has taken.
 */
public final class JournalReplay {
  /** Longest line; scored pages and queues are bounded, so that none is near it. */
  private static final int MOST_CHARACTERS = 8 << 20;

  private static final String START = "start";
  private static final int MOST_TIMERS = 1_024;

  private final String name;
  private final Set<PolicySlot> slots;
  private final Function<? super PolicyContext, ? extends Policy> create;
  private final System.Logger log;
  private final JournalReplayReport.Builder report;
  private final Map<PolicySlot, Long> lastTicket = new EnumMap<>(PolicySlot.class);
  private long seed;
  private long nowNanos;
  private @Nullable Policy policy;
  private @Nullable RunnerContext context;
  private volatile long callStartedNanos;
  private volatile boolean calling;

  /**
   * A replay.
   *
   * @param name of the policy that decides again
   * @param slots whose decisions it decides; it serves in all of them
   * @param create makes an instance of it
   * @param mostChanges changed decisions that the report shows
   */
  public JournalReplay(
      String name,
      Set<PolicySlot> slots,
      Function<? super PolicyContext, ? extends Policy> create,
      int mostChanges) {
    this.name = name;
    this.slots = PolicySlot.setOf(slots);
    this.create = create;
    this.log = System.getLogger("io.orbitkv.policy." + name);
    this.report = new JournalReplayReport.Builder(name, this.slots, mostChanges);
  }

  /** Any thread. How long the call of the policy that is under way has taken; 0 for none. */
  public long callNanos() {
    return calling ? System.nanoTime() - callStartedNanos : 0;
  }

  /**
   * Decides the lines of a journal again, in their order.
   *
   * @param files the oldest first
   * @throws IOException when one cannot be read
   */
  public JournalReplayReport run(List<Path> files) throws IOException {
    for (Path file : files) {
      try (BufferedReader lines =
          new BufferedReader(
              new java.io.InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
        long number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          number++;
          if (!line.isBlank()) {
            line(files.size() == 1 ? "" + number : file.getFileName() + ":" + number, line);
          }
        }
      }
    }
    return report.build();
  }

  private void line(String place, String text) {
    report.line();
    JournalReader.Line line;
    try {
      if (text.length() > MOST_CHARACTERS) {
        throw new IllegalArgumentException("it is longer than any line of a journal");
      }
      line = JournalReader.line(text);
    } catch (JournalReader.OlderLineException older) {
      report.older(place, String.valueOf(older.getMessage()));
      return;
    } catch (IllegalArgumentException unreadable) {
      report.unreadable(place, String.valueOf(unreadable.getMessage()));
      return;
    }
    switch (line) {
      case JournalReader.Change change -> changed(change);
      case JournalReader.Recorded recorded -> decide(place, recorded);
    }
  }

  /** A Manager that starts has policies without a memory, and a clock of its own. */
  private void changed(JournalReader.Change change) {
    if (change.cause().equals(START)) {
      policy = null;
      context = null;
      nowNanos = 0;
      seed = change.seed();
      lastTicket.clear();
    }
  }

  private void decide(String place, JournalReader.Recorded recorded) {
    if (!slots.contains(recorded.slot())) {
      report.otherSlot();
      return;
    }
    Inputs inputs = recorded.inputs();
    if (inputs == null) {
      report.withoutInputs();
      return;
    }
    Long before = lastTicket.put(recorded.slot(), recorded.ticket());
    if (recorded.ticket() != 0 && before != null && before == recorded.ticket()) {
      // Several cutoffs were asked the same: one question.
      report.repeated();
      return;
    }
    nowNanos = Math.max(nowNanos, recorded.nanoTime());
    callStartedNanos = System.nanoTime();
    calling = true;
    try {
      Decided now = again(recorded, inputs);
      if (now == null) {
        report.told();
      } else {
        report.decided(place, recorded, now);
      }
    } catch (Exception | LinkageError | AssertionError | StackOverflowError thrown) {
      report.failed(place, recorded, thrown.getClass().getName() + ": " + thrown.getMessage());
    } finally {
      calling = false;
    }
  }

  private Policy policy() {
    Policy known = policy;
    RunnerContext scope = context;
    if (known == null || scope == null) {
      LongSupplier clock = () -> nowNanos;
      scope = new RunnerContext(clock, new SplittableRandom(seed), NoMeters.NONE, log, MOST_TIMERS);
      context = scope;
      known = create.apply(scope);
      policy = known;
    }
    Policy timed = known;
    for (int fired = 0; fired < MOST_TIMERS; fired++) {
      if (!scope.takeDueTimer(nowNanos, timed::onTimer)) {
        break;
      }
    }
    return known;
  }

  /** Null for what is told and not asked. */
  private @Nullable Decided again(JournalReader.Recorded recorded, Inputs inputs) {
    Policy asked = policy();
    return switch (inputs) {
      case Inputs.Chain chain -> {
        Admission answer = ((AdmissionPolicy) asked).admit(chain.chain(), chain.target());
        yield Decided.of(sensible(answer, Decided.sensible(answer)));
      }
      case Inputs.Read read -> {
        CutoffPolicy.ReadLimits limits =
            ((CutoffPolicy) asked).plan(read.request(), read.source(), read.engine());
        yield Decided.of(sensible(limits, Decided.sensible(limits)));
      }
      case Inputs.Progress progress ->
          Decided.ofGoingOn(((CutoffPolicy) asked).proceed(progress.progress()));
      case Inputs.Queue queue -> queue(asked, recorded.slot(), queue.queue());
      case Inputs.Pages pages -> pages((RetentionPolicy) asked, recorded, pages);
    };
  }

  private static Decided queue(Policy asked, PolicySlot slot, List<RequestFacts> queue) {
    boolean warms = slot == PolicySlot.WARMING;
    List<Integer> chosen =
        warms ? ((WarmingPolicy) asked).warm(queue) : ((LookaheadPolicy) asked).prepare(queue);
    return Decided.ofQueue(
        warms ? "warm" : "prepare", sensible(chosen, Decided.indices(chosen, queue.size())), queue);
  }

  /** Compared is what would leave first: scores of two policies have no common unit. */
  private @Nullable Decided pages(
      RetentionPolicy asked, JournalReader.Recorded recorded, Inputs.Pages pages) {
    RecordedPages batch = new RecordedPages(pages.first(), recorded.policy().equals(name));
    if (recorded.decided().choice().equals("adopted")) {
      asked.adopt(batch);
      return null;
    }
    long[] scores = new long[batch.size()];
    asked.score(batch, scores);
    return new Decided("scored", "untold", order(pages.first(), i -> scores[i]));
  }

  /** Ids of the pages in the order in which they would leave. */
  static String order(List<Inputs.Page> pages, ToLongFunction<Integer> score) {
    return String.join(
        ", ",
        IntStream.range(0, pages.size())
            .boxed()
            .sorted(
                Comparator.comparingLong(score)
                    .thenComparingLong(i -> pages.get(i).lastUseNanos())
                    .thenComparingInt(i -> i))
            .map(i -> JournalJson.id(pages.get(i).id()))
            .toList());
  }

  private static <A> A sensible(A answer, boolean sensible) {
    if (!sensible) {
      throw new IllegalStateException("the answer makes no sense: " + answer);
    }
    return answer;
  }

  private enum NoMeters implements Meters {
    NONE;

    @Override
    public Counter counter(String name, String description) {
      return _ -> {};
    }

    @Override
    public void gauge(String name, String description, LongSupplier value) {}

    @Override
    public Timer timer(String name, String description) {
      return _ -> {};
    }
  }
}
