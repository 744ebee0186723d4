package io.orbitkv.kernel.step;

import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.Postponed;

/** What admission policies were asked and said in one slot, counted. Dispatcher. */
public final class AdmissionCount {
  private final Step step;
  private final Postponed postponed = new Postponed();

  /** Nobody was asked. */
  public AdmissionCount(Step step) {
    this.step = step;
  }

  /** A question is out. */
  public void asked() {
    step.count(KernelCounter.ADMISSION_QUESTIONS);
  }

  /**
   * The answer has come.
   *
   * @param chain the first page's name
   * @return what is to happen: who was put off as often as may be is dropped
   */
  public AdmissionVerdict verdict(long chain, AdmissionVerdict said) {
    AdmissionVerdict verdict = said;
    if (said == AdmissionVerdict.LATER) {
      if (!postponed.again(chain)) {
        step.count(KernelCounter.ADMISSIONS_PUT_OFF_TOO_OFTEN);
        verdict = AdmissionVerdict.DROP;
      }
    } else {
      postponed.decided(chain);
    }
    step.count(
        switch (verdict) {
          case ADMIT -> KernelCounter.ADMISSIONS;
          case LATER -> KernelCounter.ADMISSIONS_PUT_OFF;
          case DROP -> KernelCounter.ADMISSIONS_DROPPED;
        });
    return verdict;
  }
}
