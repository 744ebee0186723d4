package io.orbitkv.kernel;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Tells a kernel who is asked, and answers its questions. */
final class Asking {
  private static final Reason REASON = Reason.of("test");

  private final KernelHarness kernel;

  Asking(KernelHarness kernel, PolicySlot... slots) {
    this.kernel = kernel;
    serve(slots);
  }

  /** Policies serve these slots from now on, and no others. */
  void serve(PolicySlot... slots) {
    kernel.step(new Event.Policies(Set.of(slots), Set.of()));
  }

  /** The one question about admission that the last step asked. */
  Command.AskAdmission admission() {
    return kernel.only(Command.AskAdmission.class);
  }

  /** How many such questions the last step asked. */
  int admissions() {
    return kernel.all(Command.AskAdmission.class).size();
  }

  void admit(Command.AskAdmission question) {
    say(question, AdmissionVerdict.ADMIT, Duration.ZERO);
  }

  void drop(Command.AskAdmission question) {
    say(question, AdmissionVerdict.DROP, Duration.ZERO);
  }

  void later(Command.AskAdmission question, Duration delay) {
    say(question, AdmissionVerdict.LATER, delay);
  }

  void say(Command.AskAdmission question, AdmissionVerdict verdict, Duration delay) {
    kernel.step(new Event.AdmissionAdvice(question.ticket(), verdict, delay.toNanos()));
  }

  /** The one question about a read that the last step asked. */
  Command.AskReadPlan plan() {
    return kernel.only(Command.AskReadPlan.class);
  }

  void plan(Command.AskReadPlan question, ReadLimits limits) {
    kernel.step(new Event.ReadPlanAdvice(question.ticket(), limits));
  }

  /** The one question about a further batch that the last step asked. */
  Command.AskReadOn readOn() {
    return kernel.only(Command.AskReadOn.class);
  }

  void readOn(Command.AskReadOn question, boolean goOn) {
    kernel.step(new Event.ReadOnAdvice(question.ticket(), goOn));
  }

  /** Whether the last step asked anything. */
  boolean asked() {
    return !kernel.all(Command.ToPolicies.class).isEmpty();
  }

  static ReadLimits everything() {
    return ReadLimits.none(REASON);
  }

  static ReadLimits first(int pages) {
    return new ReadLimits(0, 0, Duration.ZERO, OnDeadline.MISS, pages, REASON);
  }

  static ReadLimits batches(int pages, int batches) {
    return new ReadLimits(
        pages * TieredKernel.PAGE,
        batches,
        Duration.ZERO,
        CutoffPolicy.OnDeadline.MISS,
        Integer.MAX_VALUE,
        REASON);
  }

  static ReadLimits until(Duration deadline, OnDeadline meaning) {
    return new ReadLimits(0, 0, deadline, meaning, Integer.MAX_VALUE, REASON);
  }

  /** Slots in the order of the questions of the last step. */
  List<PolicySlot> slots() {
    return kernel.all(Command.AskAdmission.class).stream().map(Command.AskAdmission::slot).toList();
  }
}
