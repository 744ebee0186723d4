package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.recovery.Certificate;
import io.orbitkv.kernel.recovery.CertificateChecker;
import io.orbitkv.kernel.recovery.CertificateSampling;
import io.orbitkv.kernel.recovery.PageView;
import io.orbitkv.kernel.recovery.Question;
import io.orbitkv.kernel.recovery.SealedModel;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import org.jspecify.annotations.Nullable;

/**
 * Certificates of what is promised, for a share of the decisions: each is checked against the pages
 * by code that shares nothing with lookups and reads. One that does not hold ends the process.
 * Dispatcher.
 */
final class Proofs {
  private final Step step;
  private final PageView view;
  private final CertificateSampling sampling;

  Proofs(Step step, Residency residency) {
    this.step = step;
    this.view = new ResidencyView(residency);
    this.sampling = new CertificateSampling(step.settings().certificateEvery());
  }

  /**
   * Pages that were evicted by name, or quarantined because somebody may read them for ever, after
   * they were referenced are complete still. What was quarantined half-written has no key.
   */
  private record ResidencyView(Residency residency) implements PageView {
    @Override
    public boolean resident(int page) {
      PageState state = residency.state(page);
      return state == PageState.RESIDENT
          || state == PageState.ORPHAN
          || state == PageState.QUARANTINED;
    }

    @Override
    public int references(int page) {
      return residency.references(page);
    }

    @Override
    public int domain(int page) {
      return residency.domain(page);
    }

    @Override
    public long keyHigh(int page) {
      return residency.keyHigh(page);
    }

    @Override
    public long keyLow(int page) {
      return residency.keyLow(page);
    }

    @Override
    public int ranks(int page) {
      return residency.ranks(page);
    }
  }

  /**
   * Proves a decision whose keys are still known, if it is its turn.
   *
   * @param pages what was found
   * @return the certificate, for a later look, or null when it was not its turn
   */
  @Nullable Certificate prove(Decision decision, int[] pagesOfGroup, int[] pages) {
    if (!sampling.due()) {
      return null;
    }
    QueryOperation first = decision.queries().isEmpty() ? null : decision.queries().getFirst();
    Question question =
        new Question(
            first == null ? 0 : first.session().id(),
            first == null ? 0 : first.id(),
            first == null ? 0 : first.revision(),
            decision.kind(),
            decision.groups(),
            decision.pagesOfGroup(),
            decision.keys(),
            decision.demand());
    SealedModel model = decision.instance().model();
    Certificate certificate = Certificate.of(model, question, pagesOfGroup);
    hold(CertificateChecker.check(certificate, model, question, view, pages));
    return certificate;
  }

  /** Proves once more what was held for a while. */
  void proveHeld(Decision decision, int[] pages) {
    Certificate certificate = decision.certificate;
    if (certificate != null) {
      hold(CertificateChecker.checkHeld(certificate, decision.instance().model(), view, pages));
    }
  }

  private void hold(@Nullable String problem) {
    step.count(KernelCounter.CERTIFICATES_CHECKED);
    if (problem != null) {
      throw new BrokenInvariant("a certificate does not hold: " + problem);
    }
  }
}
