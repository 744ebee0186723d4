package io.orbitkv.kernel.recovery;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryContract;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease that is right in everything, with its question and its pages, to be corrupted. */
final class OfferedLease {
  static final int RANKS = 2;
  static final int PAGE_TOKENS = 64;

  final FakePageView view = new FakePageView();
  SealedModel model;
  Question question;
  Certificate certificate;
  int[] pages;

  private OfferedLease(SealedModel model, Question question, int[] leasedPages) {
    this.model = model;
    this.question = question;
    this.certificate = Certificate.of(model, question, leasedPages);
    List<Integer> numbers = new ArrayList<>();
    int firstKey = 0;
    for (int i = 0; i < leasedPages.length; i++) {
      int domain = model.domains()[question.groups()[i]];
      for (int j = 0; j < leasedPages[i]; j++) {
        long high = question.keys()[2 * (firstKey + j)];
        long low = question.keys()[2 * (firstKey + j) + 1];
        numbers.add(view.add(domain, high, low, RANKS));
      }
      firstKey += question.pagesOfGroup()[i];
    }
    this.pages = numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  static SealedModel model(GroupRule... rules) {
    List<GroupSpec> groups = new ArrayList<>();
    int[] domains = new int[rules.length];
    for (GroupRule rule : rules) {
      domains[groups.size()] = 100 + groups.size();
      groups.add(new GroupSpec(groups.size(), rule));
    }
    RecoveryContract contract =
        RecoveryContract.of(new Namespace("c".repeat(64)), PAGE_TOKENS, groups);
    return new SealedModel(7, contract, RANKS, domains);
  }

  static long[] keys(int pages) {
    long[] keys = new long[2 * pages];
    for (int half = 0; half < keys.length; half++) {
      keys[half] = 0x1234_5678_9ABCL * (half + 1);
    }
    return keys;
  }

  /** A prefix: {@code leased} of {@code asked} pages. */
  static OfferedLease prefix(QueryKind kind, int asked, int leased) {
    SealedModel model = model(new GroupRule.Prefix(), new GroupRule.Checkpoint());
    Question question =
        new Question(3, 11, 2, kind, new int[] {0}, new int[] {asked}, keys(asked), null);
    return new OfferedLease(model, question, new int[] {leased});
  }

  /** The boundary at 512 of a span from 128: 6 pages, a window of 2 pages and a checkpoint. */
  static OfferedLease selected() {
    SealedModel model =
        model(new GroupRule.Prefix(), new GroupRule.Window(100), new GroupRule.Checkpoint());
    return selected(QueryKind.SELECTED, model, 128, 512);
  }

  static OfferedLease selected(QueryKind kind, SealedModel model, int start, int end) {
    RecoveryDemand demand = model.contract().demand(start, end);
    int[] groups = new int[demand.ranges().size()];
    int[] pagesOfGroup = new int[groups.length];
    int pages = 0;
    for (GroupRange range : demand.ranges()) {
      groups[range.group()] = range.group();
      pagesOfGroup[range.group()] = range.pages(PAGE_TOKENS);
      pages += pagesOfGroup[range.group()];
    }
    Question question = new Question(3, 11, 2, kind, groups, pagesOfGroup, keys(pages), demand);
    return new OfferedLease(model, question, pagesOfGroup);
  }

  @Nullable String check() {
    return CertificateChecker.check(certificate, model, question, view, pages);
  }

  @Nullable String checkHeld() {
    return CertificateChecker.checkHeld(certificate, model, view, pages);
  }

  FakePageView.Page page(int place) {
    return view.page(pages[place]);
  }

  // ---- corruptions -----------------------------------------------------------------------------

  /** Replaces what is promised of the group at a place. */
  void certify(int place, CertifiedGroup group) {
    List<CertifiedGroup> groups = new ArrayList<>(certificate.groups());
    groups.set(place, group);
    certify(groups);
  }

  void certify(List<CertifiedGroup> groups) {
    certificate =
        new Certificate(
            certificate.generation(),
            certificate.session(),
            certificate.operation(),
            certificate.revision(),
            certificate.kind(),
            certificate.strict(),
            groups);
  }

  void certifyFor(
      long generation, long session, long operation, int revision, QueryKind kind, boolean strict) {
    certificate =
        new Certificate(
            generation, session, operation, revision, kind, strict, certificate.groups());
  }

  void ask(
      QueryKind kind,
      int[] groups,
      int[] pagesOfGroup,
      long[] keys,
      @Nullable RecoveryDemand demand) {
    question =
        new Question(
            question.session(),
            question.operation(),
            question.revision(),
            kind,
            groups,
            pagesOfGroup,
            keys,
            demand);
  }

  void askKeys(long... keys) {
    ask(question.kind(), question.groups(), question.pagesOfGroup(), keys, question.demand());
  }

  void ask(QueryKind kind, @Nullable RecoveryDemand demand) {
    ask(kind, question.groups(), question.pagesOfGroup(), question.keys(), demand);
  }
}
