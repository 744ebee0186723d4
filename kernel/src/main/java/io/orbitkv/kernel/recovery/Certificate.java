package io.orbitkv.kernel.recovery;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.ArrayList;
import java.util.List;

/**
 * What an offered lease promises, and to whom: a few words a group, however many pages it has.
 * Immutable. {@link CertificateChecker} compares it with the question and with the pages.
 *
 * @param generation of the instance
 * @param session the client that is answered
 * @param operation its query
 * @param revision of the query that the result belongs to
 * @param kind of the query
 * @param strict whether the answer is all pages or nothing
 * @param groups in the order of the lease's pages
 */
public record Certificate(
    long generation,
    long session,
    long operation,
    int revision,
    QueryKind kind,
    boolean strict,
    List<CertifiedGroup> groups) {
  /** Copies the list. */
  public Certificate {
    groups = List.copyOf(groups);
  }

  /**
   * The certificate of a lease that answers a question. Made for the leases that are checked only,
   * see {@link CertificateSampling}.
   *
   * @param model of the instance whose pages are leased; it has the question's groups
   * @param question well-formed, as every query is that passed the door
   * @param leasedPages how many pages of each group of the question were leased: as many as were
   *     asked for, or fewer for a prefix
   */
  public static Certificate of(SealedModel model, Question question, int[] leasedPages) {
    int[] groups = question.groups();
    RecoveryDemand demand = question.demand();
    List<CertifiedGroup> certified = new ArrayList<>(groups.length);
    int firstKey = 0;
    for (int i = 0; i < groups.length; i++) {
      int group = groups[i];
      int firstPage =
          demand == null ? 0 : demand.ranges().get(i).startToken() / demand.pageTokens();
      certified.add(
          new CertifiedGroup(
              group,
              model.contract().groups().get(group).rule(),
              model.domains()[group],
              firstPage,
              leasedPages[i],
              KeyDigest.of(question.keys(), firstKey, leasedPages[i])));
      firstKey += question.pagesOfGroup()[i];
    }
    return new Certificate(
        model.generation(),
        question.session(),
        question.operation(),
        question.revision(),
        question.kind(),
        question.strict(),
        certified);
  }

  /** Pages of all groups. */
  public long pages() {
    long pages = 0;
    for (CertifiedGroup group : groups) {
      pages += group.pages();
    }
    return pages;
  }
}
