package io.orbitkv.workload.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of a policy's calls. The thread of the model; {@link #callNanos} and {@link
 * #method} any thread.
 */
public final class PolicyWatch {
  private static final int MOST_PROBLEMS = 3;

  private final LongSupplier clock;
  private final long limitNanos;
  private final int mostDecisions;
  private final List<Decision> decisions = new ArrayList<>();
  private final Map<String, Long> choices = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private long calls;
  private long thrown;
  private long nonsense;
  private long late;
  private long slowestNanos;
  private long totalNanos;
  private volatile long startedNanos;
  private volatile @Nullable String method;

  /**
   * One decision in words.
   *
   * @param about what
   * @param choice what was chosen
   * @param detail the rest; may be empty
   * @param reason why; empty where the contract has none
   */
  public record Decision(String about, String choice, String detail, String reason) {
    /** In one line. */
    public String text() {
      return about
          + ": "
          + choice
          + (reason.isEmpty() ? "" : ", " + reason)
          + (detail.isEmpty() ? "" : " (" + detail + ")");
    }
  }

  /**
   * A watch.
   *
   * @param clock monotonic, of this machine
   * @param limitNanos after which an answer is late in the Manager
   * @param mostDecisions that are kept in words
   */
  PolicyWatch(LongSupplier clock, long limitNanos, int mostDecisions) {
    this.clock = clock;
    this.limitNanos = limitNanos;
    this.mostDecisions = mostDecisions;
  }

  /** A question, and what becomes of its answer. */
  <A> A ask(
      String name,
      Supplier<? extends A> call,
      Function<A, String> nonsenseOf,
      A byDefault,
      Function<A, Decision> words) {
    A answer;
    begin(name);
    try {
      answer = call.get();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError problem) {
      thrown(name, problem);
      return byDefault;
    } finally {
      end();
    }
    String wrong = answer == null ? "the answer null" : nonsenseOf.apply(answer);
    if (!wrong.isEmpty()) {
      nonsense++;
      problem(name + " gave " + wrong + ", which makes no sense");
      return byDefault;
    }
    Decision decision = words.apply(answer);
    if (decisions.size() < mostDecisions) {
      decisions.add(decision);
    }
    String key = decision.choice() + (decision.reason().isEmpty() ? "" : ", " + decision.reason());
    if (choices.size() < 64 || choices.containsKey(key)) {
      choices.merge(key, 1L, Long::sum);
    }
    return answer;
  }

  /** Something that the policy is told. */
  void tell(String name, Runnable call) {
    begin(name);
    try {
      call.run();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError problem) {
      thrown(name, problem);
    } finally {
      end();
    }
  }

  private void begin(String name) {
    startedNanos = clock.getAsLong();
    method = name;
  }

  private void end() {
    long nanos = clock.getAsLong() - startedNanos;
    method = null;
    calls++;
    totalNanos += nanos;
    slowestNanos = Math.max(slowestNanos, nanos);
    late += nanos > limitNanos ? 1 : 0;
  }

  private void thrown(String name, Throwable problem) {
    thrown++;
    StackTraceElement[] trace = problem.getStackTrace();
    problem(
        name
            + " threw "
            + problem.getClass().getName()
            + (problem.getMessage() == null ? "" : ": " + problem.getMessage())
            + (trace.length == 0 ? "" : ", at " + trace[0]));
  }

  private void problem(String text) {
    if (problems.size() < MOST_PROBLEMS && !problems.contains(text)) {
      problems.add(text);
    }
  }

  /** Any thread. How long the call under way has taken; 0 when there is none. */
  public long callNanos() {
    return method == null ? 0 : clock.getAsLong() - startedNanos;
  }

  /** Any thread. The method that is called right now; empty when there is none. */
  public String method() {
    String now = method;
    return now == null ? "" : now;
  }

  /** The first decisions. */
  public List<Decision> decisions() {
    return List.copyOf(decisions);
  }

  /** How often each choice was made, with its reason. */
  public Map<String, Long> choices() {
    return new TreeMap<>(choices);
  }

  /** The first of what went wrong, in words. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Calls of any method. */
  public long calls() {
    return calls;
  }

  /** Calls that threw. */
  public long thrown() {
    return thrown;
  }

  /** Answers that could not be used. */
  public long nonsense() {
    return nonsense;
  }

  /** Calls that took longer than the Manager waits. */
  public long late() {
    return late;
  }

  /** What the Manager waits. */
  public long limitNanos() {
    return limitNanos;
  }

  /** The slowest call. */
  public long slowestNanos() {
    return slowestNanos;
  }

  /** Mean of all calls. */
  public double meanNanos() {
    return calls == 0 ? 0 : (double) totalNanos / calls;
  }
}
