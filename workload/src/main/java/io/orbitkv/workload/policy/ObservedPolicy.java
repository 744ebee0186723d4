package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.policy.WarmingPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A policy behind its contract, watched: each call is timed, and when it throws or answers nonsense
 * the built-in default stands in, as it does in the Manager. The thread of the model.
 */
final class ObservedPolicy {
  private static final Reason DEFAULT = Reason.of("default");
  private static final Duration LONGEST = Duration.ofDays(1);

  private ObservedPolicy() {}

  /** The same policy, watched. */
  static Policy of(Policy policy, PolicyWatch watch) {
    return switch (policy) {
      case AdmissionPolicy admission -> new Admitting(admission, watch);
      case CutoffPolicy cutoff -> new Cutting(cutoff, watch);
      case RetentionPolicy retention -> new Retaining(retention, watch);
      case LookaheadPolicy lookahead -> new Preparing(lookahead, watch);
      case WarmingPolicy warming -> new Warming(warming, watch);
    };
  }

  private static List<Integer> chosen(
      String method, List<RequestFacts> queue, Supplier<List<Integer>> call, PolicyWatch watch) {
    return watch.ask(
        method,
        call,
        chosen -> {
          HashSet<Integer> seen = new HashSet<>();
          for (Integer index : chosen) {
            if (index == null || index < 0 || index >= queue.size() || !seen.add(index)) {
              return "the choice " + chosen + " of a queue of [" + queue.size() + "] requests";
            }
          }
          return "";
        },
        List.of(),
        chosen ->
            new PolicyWatch.Decision(
                "a queue of " + queue.size(),
                chosen.isEmpty() ? "nothing" : method,
                chosen.isEmpty()
                    ? ""
                    : String.join(
                        ", ", chosen.stream().map(i -> queue.get(i).requestId()).toList()),
                ""));
  }

  private record Preparing(LookaheadPolicy policy, PolicyWatch watch) implements LookaheadPolicy {
    @Override
    public List<Integer> prepare(List<RequestFacts> queue) {
      return chosen("prepare", queue, () -> policy.prepare(queue), watch);
    }

    @Override
    public void onTimer(long token) {
      watch.tell("onTimer", () -> policy.onTimer(token));
    }
  }

  private record Warming(WarmingPolicy policy, PolicyWatch watch) implements WarmingPolicy {
    @Override
    public List<Integer> warm(List<RequestFacts> queue) {
      return chosen("warm", queue, () -> policy.warm(queue), watch);
    }

    @Override
    public void onTimer(long token) {
      watch.tell("onTimer", () -> policy.onTimer(token));
    }
  }

  private record Admitting(AdmissionPolicy policy, PolicyWatch watch) implements AdmissionPolicy {
    @Override
    public Admission admit(ChainFacts chain, TierFacts target) {
      Function<Admission, String> sense =
          answer ->
              answer.reason() == null
                      || (answer instanceof Admission.Later later && !bounded(later.delay()))
                  ? "the answer [" + answer + "]"
                  : "";
      return watch.ask(
          target.kind() == TierKind.DRAM ? "admit to host memory" : "admit",
          () -> policy.admit(chain, target),
          sense,
          Admission.admit(DEFAULT),
          answer ->
              new PolicyWatch.Decision(
                  String.format(
                      java.util.Locale.ROOT,
                      "chain %016x, %d pages after %d, uses %d, unit hash %.3f",
                      chain.id(),
                      chain.pages(),
                      chain.depth(),
                      chain.uses(),
                      chain.unitHash()),
                  switch (answer) {
                    case Admission.Admit _ -> "admit";
                    case Admission.Drop _ -> "drop";
                    case Admission.Later later -> "later, after " + later.delay();
                  },
                  "",
                  answer.reason().name()));
    }

    @Override
    public void onTimer(long token) {
      watch.tell("onTimer", () -> policy.onTimer(token));
    }
  }

  private record Cutting(CutoffPolicy policy, PolicyWatch watch) implements CutoffPolicy {
    @Override
    public ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine) {
      return watch.ask(
          "plan",
          () -> policy.plan(request, source, engine),
          limits ->
              limits.batchBytes() >= 0
                      && limits.maxBatches() >= 0
                      && bounded(limits.deadline())
                      && limits.onDeadline() != null
                      && limits.restorePages() >= 0
                      && limits.reason() != null
                  ? ""
                  : "the limits [" + limits + "]",
          ReadLimits.none(DEFAULT),
          limits ->
              new PolicyWatch.Decision(
                  String.format(
                      java.util.Locale.ROOT,
                      "request %s, %d pages in host memory and %d on SSD, %,d bytes queued",
                      request.requestId(),
                      request.dramPages(),
                      request.ssdPages(),
                      source.queuedBytes()),
                  limits.restorePages() == 0
                      ? "nothing"
                      : limits.restorePages() == Integer.MAX_VALUE ? "whole" : "part",
                  limits(limits),
                  limits.reason().name()));
    }

    @Override
    public void onTimer(long token) {
      watch.tell("onTimer", () -> policy.onTimer(token));
    }
  }

  private static String limits(CutoffPolicy.ReadLimits limits) {
    List<String> words = new ArrayList<>();
    if (limits.restorePages() > 0 && limits.restorePages() < Integer.MAX_VALUE) {
      words.add("the first " + limits.restorePages() + " pages");
    }
    if (limits.batchBytes() > 0) {
      words.add("batches of " + limits.batchBytes() + " bytes");
    }
    if (limits.maxBatches() > 0) {
      words.add("at most " + limits.maxBatches() + " batches");
    }
    if (!limits.deadline().isZero()) {
      words.add("deadline " + limits.deadline().toMillis() + "ms, " + limits.onDeadline());
    }
    return String.join(", ", words);
  }

  private record Retaining(RetentionPolicy policy, PolicyWatch watch) implements RetentionPolicy {
    @Override
    public void observe(PageEvents events) {
      watch.tell("observe", () -> policy.observe(events));
    }

    @Override
    public void score(PageBatch candidates, long[] scores) {
      Boolean _ =
          watch.ask(
              "score",
              () -> {
                policy.score(candidates, scores);
                return true;
              },
              _ -> "",
              false,
              _ -> scored(candidates, scores));
    }

    @Override
    public void adopt(PageBatch residents) {
      watch.tell("adopt", () -> policy.adopt(residents));
    }

    @Override
    public void onTimer(long token) {
      watch.tell("onTimer", () -> policy.onTimer(token));
    }

    private static PolicyWatch.Decision scored(PageBatch candidates, long[] scores) {
      int lowest = 0;
      for (int i = 1; i < candidates.size(); i++) {
        lowest = scores[i] < scores[lowest] ? i : lowest;
      }
      return new PolicyWatch.Decision(
          candidates.size() + " candidates",
          "scored",
          candidates.size() == 0
              ? ""
              : String.format(
                  java.util.Locale.ROOT,
                  "first to leave %016x at depth %d, uses %d, score %d",
                  candidates.id(lowest),
                  candidates.depth(lowest),
                  candidates.uses(lowest),
                  scores[lowest]),
          "");
    }
  }

  private static boolean bounded(Duration duration) {
    return duration != null && !duration.isNegative() && duration.compareTo(LONGEST) <= 0;
  }
}
