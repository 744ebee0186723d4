package io.orbitkv.kernel.recovery;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a lease holds what its certificate promises and what was asked for, or says what does
 * not hold. It shares no code with lookups, reads and the contract's compiler: it computes required
 * ranges anew, since a mistake that both made would go unseen. Whatever certificate and question it
 * is given, it answers with a sentence and not with an exception; page numbers must be ones that
 * the view knows, or negative.
 *
 * <p>A lease is right when
 *
 * <ul>
 *   <li>it belongs to the query, the revision and the generation that are answered;
 *   <li>a prefix is dense: pages of group 0 from the first key on, without a gap;
 *   <li>a strict answer has all pages that were asked for, and with a demand these are the ranges
 *       that the rules of all groups of the model require;
 *   <li>each page is complete, has a run of each rank, is referenced, and has the key that was
 *       asked for at its place, in the key space of its group;
 *   <li>no page is there twice, unless its key was asked for twice.
 * </ul>
 */
public final class CertificateChecker {
  private final Certificate certificate;
  private final SealedModel model;
  private final PageView view;
  private final int[] pages;

  private CertificateChecker(
      Certificate certificate, SealedModel model, PageView view, int[] pages) {
    this.certificate = certificate;
    this.model = model;
    this.view = view;
    this.pages = pages;
  }

  /**
   * Checks a lease when it is offered. Dispatcher.
   *
   * @param pages the lease's pages, one group after another
   * @return what does not hold, or null
   */
  public static @Nullable String check(
      Certificate certificate, SealedModel model, Question question, PageView view, int[] pages) {
    CertificateChecker checker = new CertificateChecker(certificate, model, view, pages);
    String problem = checker.identity(question);
    if (problem == null) {
      problem = checker.shape(question);
    }
    if (problem == null) {
      problem = question.demand() == null ? checker.plain(question) : checker.selected(question);
    }
    if (problem == null) {
      problem = checker.promised();
    }
    return problem == null ? checker.answered(question) : problem;
  }

  /**
   * Checks a lease later, before its pages are copied, when the question may be forgotten: each
   * page still is referenced and has the key, the key space and the runs that were promised. It
   * need not be found any more: an eviction takes that from pages that are in use.
   *
   * @return what does not hold, or null
   */
  public static @Nullable String checkHeld(
      Certificate certificate, SealedModel model, PageView view, int[] pages) {
    CertificateChecker checker = new CertificateChecker(certificate, model, view, pages);
    String problem = checker.promised();
    return problem == null ? checker.held() : problem;
  }

  // ---- the certificate and the question --------------------------------------------------------

  private @Nullable String identity(Question question) {
    if (certificate.session() != question.session()
        || certificate.operation() != question.operation()
        || certificate.revision() != question.revision()
        || certificate.kind() != question.kind()) {
      return text(
          "it answers another query: [%s] revision [%s] of session [%s], which is %s"
              .formatted(
                  question.operation(), question.revision(), question.session(), question.kind()));
    }
    if (certificate.kind() == QueryKind.DISCOVER || certificate.kind() == QueryKind.WARM) {
      return text("a query of this kind has no lease");
    }
    boolean strict =
        question.demand() != null
            || question.kind() == QueryKind.SELECTED
            || question.kind() == QueryKind.PRODUCER_WAIT;
    return certificate.strict() == strict
        ? null
        : text("it is strict [%s]: the query is [%s]".formatted(certificate.strict(), strict));
  }

  /** Counts of the question agree with each other and with the certificate's. */
  private @Nullable String shape(Question question) {
    int[] groups = question.groups();
    int[] asked = question.pagesOfGroup();
    List<CertifiedGroup> certified = certificate.groups();
    if (groups.length != asked.length || groups.length != certified.size()) {
      return text(
          "[%s] groups with [%s] counts are asked for, [%s] are certified"
              .formatted(groups.length, asked.length, certified.size()));
    }
    long askedPages = 0;
    for (int i = 0; i < groups.length; i++) {
      if (certified.get(i).group() != groups[i]) {
        return text(
            "group [%s] is certified where group [%s] is asked for"
                .formatted(certified.get(i).group(), groups[i]));
      }
      if (asked[i] < 0 || certified.get(i).pages() > asked[i]) {
        return text(
            "[%s] pages of group [%s] are certified, [%s] are asked for"
                .formatted(certified.get(i).pages(), groups[i], asked[i]));
      }
      if (certificate.strict() && certified.get(i).pages() != asked[i]) {
        return text(
            "a strict answer has [%s] of the [%s] pages asked for of group [%s]"
                .formatted(certified.get(i).pages(), asked[i], groups[i]));
      }
      askedPages += asked[i];
    }
    return question.keys().length == 2 * askedPages
        ? null
        : text("[%s] halves of keys for [%s] pages".formatted(question.keys().length, askedPages));
  }

  /** Without a demand: a prefix of group 0. */
  private @Nullable String plain(Question question) {
    if (question.kind() == QueryKind.SELECTED) {
      return text("a selected boundary comes without its demand");
    }
    if (question.groups().length != 1 || question.groups()[0] != 0) {
      return text(
          "a prefix is of group 0 alone, not of %s".formatted(Arrays.toString(question.groups())));
    }
    int firstPage = certificate.groups().getFirst().firstPage();
    return firstPage == 0
        ? null
        : text("a prefix begins at place [%s] instead of 0".formatted(firstPage));
  }

  /** With a demand: exactly the ranges that the model's rules require before its boundary. */
  private @Nullable String selected(Question question) {
    RecoveryDemand demand = question.demand();
    if (demand == null
        || (question.kind() != QueryKind.SELECTED && question.kind() != QueryKind.PREPARE)) {
      return text("a query of this kind takes no demand");
    }
    int pageTokens = model.contract().pageTokens();
    int modelGroups = model.contract().groups().size();
    if (demand.pageTokens() != pageTokens) {
      return text(
          "the demand has pages of [%s] tokens, the model of [%s]"
              .formatted(demand.pageTokens(), pageTokens));
    }
    if (demand.ranges().size() != modelGroups || certificate.groups().size() != modelGroups) {
      return text(
          "the model has [%s] groups, the demand [%s]"
              .formatted(modelGroups, demand.ranges().size()));
    }
    int boundaryPage = demand.endToken() / pageTokens;
    int spanPages = boundaryPage - demand.startToken() / pageTokens;
    for (int group = 0; group < modelGroups; group++) {
      int needed = neededPages(group, spanPages);
      int firstPage = boundaryPage - needed;
      GroupRange range = demand.ranges().get(group);
      if (range.group() != group
          || range.startToken() != firstPage * pageTokens
          || range.endToken() != demand.endToken()) {
        return text(
            ("the demand's range [%s] is not the [%s] pages that group [%s] needs before"
                    + " token [%s]")
                .formatted(range, needed, group, demand.endToken()));
      }
      CertifiedGroup certified = certificate.groups().get(group);
      if (certified.group() != group
          || certified.firstPage() != firstPage
          || certified.pages() != needed) {
        return text(
            ("group [%s] is certified with [%s] pages from page [%s]: group [%s] needs [%s]"
                    + " from page [%s]")
                .formatted(
                    certified.group(),
                    certified.pages(),
                    certified.firstPage(),
                    group,
                    needed,
                    firstPage));
      }
    }
    return null;
  }

  private int neededPages(int group, int spanPages) {
    long needed =
        switch (model.contract().groups().get(group).rule()) {
          case GroupRule.Prefix() -> spanPages;
          case GroupRule.Window(int tokens) -> {
            int pageTokens = model.contract().pageTokens();
            yield tokens / pageTokens + (tokens % pageTokens == 0 ? 0 : 1);
          }
          case GroupRule.Checkpoint() -> 1;
        };
    return (int) Math.min(needed, spanPages);
  }

  // ---- the certificate and the model -----------------------------------------------------------

  /** The certificate is of this model, and the lease has as many pages as it says. */
  private @Nullable String promised() {
    if (certificate.generation() != model.generation()) {
      return text(
          "it is of generation [%s], the instance is [%s]"
              .formatted(certificate.generation(), model.generation()));
    }
    int modelGroups = model.contract().groups().size();
    int previous = -1;
    long promised = 0;
    for (CertifiedGroup group : certificate.groups()) {
      int id = group.group();
      if (id <= previous || id >= modelGroups) {
        return text(
            "group [%s] after [%s] is not one of the model's [%s] groups, ascending"
                .formatted(id, previous, modelGroups));
      }
      previous = id;
      if (!group.rule().equals(model.contract().groups().get(id).rule())) {
        return text(
            "group [%s] is certified by the rule [%s], its rule is [%s]"
                .formatted(id, group.rule(), model.contract().groups().get(id).rule()));
      }
      if (group.domain() != model.domains()[id]) {
        return text(
            "group [%s] is certified in key space [%s], its own is [%s]"
                .formatted(id, group.domain(), model.domains()[id]));
      }
      if (group.pages() < 0) {
        return text("group [%s] has [%s] pages".formatted(id, group.pages()));
      }
      promised += group.pages();
    }
    return promised == pages.length && promised > 0
        ? null
        : text(
            "the lease has [%s] pages, [%s] are certified: must be as many and not none"
                .formatted(pages.length, promised));
  }

  // ---- the pages -------------------------------------------------------------------------------

  /** Each page is what was asked for at its place. */
  private @Nullable String answered(Question question) {
    long[] keys = question.keys();
    long[] askedHigh = new long[pages.length];
    long[] askedLow = new long[pages.length];
    int place = 0;
    int firstKey = 0;
    for (int i = 0; i < certificate.groups().size(); i++) {
      CertifiedGroup group = certificate.groups().get(i);
      long digest = KeyDigest.EMPTY;
      for (int j = 0; j < group.pages(); j++) {
        askedHigh[place + j] = keys[2 * (firstKey + j)];
        askedLow[place + j] = keys[2 * (firstKey + j) + 1];
        digest = KeyDigest.append(digest, askedHigh[place + j], askedLow[place + j]);
      }
      if (digest != group.keyDigest()) {
        return text(
            "group [%s] is certified for other keys than are asked for".formatted(group.group()));
      }
      place += group.pages();
      firstKey += question.pagesOfGroup()[i];
    }
    String repeated = repeated(askedHigh, askedLow);
    if (repeated != null) {
      return repeated;
    }
    place = 0;
    for (CertifiedGroup group : certificate.groups()) {
      for (int j = 0; j < group.pages(); j++, place++) {
        int page = pages[place];
        String problem = usable(group, place);
        if (problem != null) {
          return problem;
        }
        if (!view.resident(page)) {
          return text(
              "page [%s] at place [%s] of group [%s] is not complete and findable"
                  .formatted(page, j, group.group()));
        }
        if (view.keyHigh(page) != askedHigh[place] || view.keyLow(page) != askedLow[place]) {
          return text(
              "page [%s] at place [%s] of group [%s] has the key [%s], asked for is [%s]"
                  .formatted(
                      page,
                      j,
                      group.group(),
                      key(view.keyHigh(page), view.keyLow(page)),
                      key(askedHigh[place], askedLow[place])));
        }
      }
    }
    return null;
  }

  /** No page is at two places that ask for different keys, or are of different groups. */
  private @Nullable String repeated(long[] askedHigh, long[] askedLow) {
    int[] groupOfPlace = new int[pages.length];
    int place = 0;
    for (CertifiedGroup group : certificate.groups()) {
      Arrays.fill(groupOfPlace, place, place + group.pages(), group.group());
      place += group.pages();
    }
    long[] byPage = new long[pages.length];
    for (place = 0; place < pages.length; place++) {
      byPage[place] = (long) pages[place] << 32 | place;
    }
    Arrays.sort(byPage);
    for (int i = 1; i < byPage.length; i++) {
      int one = (int) byPage[i - 1];
      int two = (int) byPage[i];
      if (pages[one] == pages[two]
          && (groupOfPlace[one] != groupOfPlace[two]
              || askedHigh[one] != askedHigh[two]
              || askedLow[one] != askedLow[two])) {
        return text(
            "page [%s] is leased at the places [%s] and [%s], which ask for different pages"
                .formatted(pages[one], one, two));
      }
    }
    return null;
  }

  /** Each page is still what was promised. */
  private @Nullable String held() {
    int place = 0;
    for (CertifiedGroup group : certificate.groups()) {
      long digest = KeyDigest.EMPTY;
      for (int j = 0; j < group.pages(); j++, place++) {
        String problem = usable(group, place);
        if (problem != null) {
          return problem;
        }
        digest = KeyDigest.append(digest, view.keyHigh(pages[place]), view.keyLow(pages[place]));
      }
      if (digest != group.keyDigest()) {
        return text(
            "the pages of group [%s] have other keys than were promised".formatted(group.group()));
      }
    }
    return null;
  }

  /** A page is owned, whole and of the right group. */
  private @Nullable String usable(CertifiedGroup group, int place) {
    int page = pages[place];
    if (page < 0) {
      return text("place [%s] of the lease has no page".formatted(place));
    }
    if (view.references(page) <= 0) {
      return text(
          "page [%s] of group [%s] is leased with [%s] references"
              .formatted(page, group.group(), view.references(page)));
    }
    if (view.domain(page) != group.domain()) {
      return text(
          "page [%s] of group [%s] is of key space [%s] instead of [%s]"
              .formatted(page, group.group(), view.domain(page), group.domain()));
    }
    return view.ranks(page) == model.ranks()
        ? null
        : text(
            "page [%s] of group [%s] has runs of [%s] ranks instead of [%s]"
                .formatted(page, group.group(), view.ranks(page), model.ranks()));
  }

  private static String key(long high, long low) {
    return String.format("%016x%016x", high, low);
  }

  private String text(String problem) {
    return "lease of operation [%s] revision [%s] of session [%s], %s: %s"
        .formatted(
            certificate.operation(),
            certificate.revision(),
            certificate.session(),
            certificate.kind(),
            problem);
  }
}
