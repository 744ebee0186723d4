package io.orbitkv.kernel.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.query.QueryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Leases of any model hold; with any one corruption they do not. */
class CertificateCheckerPropertyTest {
  private static final int CORRUPTIONS = 12;

  private static OfferedLease lease(List<Integer> choices, int startPage, int spanPages) {
    List<GroupRule> rules = new ArrayList<>(List.of(new GroupRule.Prefix()));
    for (int choice : choices) {
      rules.add(choice == 0 ? new GroupRule.Checkpoint() : new GroupRule.Window(choice * 40));
    }
    return OfferedLease.selected(
        QueryKind.SELECTED,
        OfferedLease.model(rules.toArray(GroupRule[]::new)),
        startPage * OfferedLease.PAGE_TOKENS,
        (startPage + spanPages) * OfferedLease.PAGE_TOKENS);
  }

  /** The certificate and the checker compute ranges each in their own way. */
  @Property(tries = 400)
  void check_anyBoundaryOfAnyModel_holds(
      @ForAll @Size(max = 4) List<@IntRange(min = 0, max = 20) Integer> choices,
      @ForAll @IntRange(min = 0, max = 9) int startPage,
      @ForAll @IntRange(min = 1, max = 20) int spanPages) {
    OfferedLease lease = lease(choices, startPage, spanPages);

    assertThat(lease.check()).isNull();
    assertThat(lease.checkHeld()).isNull();
  }

  @Property(tries = 2_000)
  void check_anyCorruption_isFound(
      @ForAll @Size(max = 4) List<@IntRange(min = 0, max = 20) Integer> choices,
      @ForAll @IntRange(min = 0, max = 9) int startPage,
      @ForAll @IntRange(min = 1, max = 20) int spanPages,
      @ForAll @IntRange(min = 0, max = CORRUPTIONS - 1) int corruption,
      @ForAll long seed) {
    OfferedLease lease = lease(choices, startPage, spanPages);

    corrupt(lease, corruption, new Random(seed));

    assertThat(lease.check()).isNotNull();
  }

  private static void corrupt(OfferedLease lease, int corruption, Random random) {
    int place = random.nextInt(lease.pages.length);
    int other = (place + 1) % lease.pages.length;
    int groupPlace = random.nextInt(lease.certificate.groups().size());
    CertifiedGroup group = lease.certificate.groups().get(groupPlace);
    switch (corruption) {
      case 0 -> lease.page(place).resident = false;
      case 1 -> lease.page(place).references = 0;
      case 2 -> lease.page(place).domain++;
      case 3 -> lease.page(place).keyHigh ^= 1L << random.nextInt(64);
      case 4 -> lease.page(place).keyLow ^= 1L << random.nextInt(64);
      case 5 -> lease.page(place).ranks--;
      case 6 -> {
        int page = lease.pages[place];
        lease.pages[place] = other == place ? -1 : lease.pages[other];
        // Half of the time the two change places, otherwise one page is there twice.
        if (random.nextBoolean()) {
          lease.pages[other] = other == place ? -1 : page;
        }
      }
      case 7 -> {
        long[] keys = lease.question.keys().clone();
        keys[random.nextInt(keys.length)] ^= 1L << random.nextInt(64);
        lease.askKeys(keys);
      }
      case 8 ->
          lease.certify(
              groupPlace,
              new CertifiedGroup(
                  group.group(),
                  group.rule(),
                  group.domain(),
                  group.firstPage() + 1 - 2 * random.nextInt(2),
                  group.pages(),
                  group.keyDigest()));
      case 9 ->
          lease.certify(
              groupPlace,
              new CertifiedGroup(
                  group.group(),
                  group.rule(),
                  group.domain(),
                  group.firstPage(),
                  group.pages() + 1 - 2 * random.nextInt(2),
                  group.keyDigest()));
      case 10 ->
          lease.certify(
              groupPlace,
              new CertifiedGroup(
                  group.group(),
                  group.rule(),
                  group.domain(),
                  group.firstPage(),
                  group.pages(),
                  group.keyDigest() ^ 1L << random.nextInt(64)));
      case 11 -> {
        int start = lease.question.demand().startToken();
        int end = lease.question.demand().endToken() + OfferedLease.PAGE_TOKENS;
        lease.ask(QueryKind.SELECTED, lease.model.contract().demand(start, end));
      }
      default -> throw new IllegalArgumentException("corruption [" + corruption + "]");
    }
  }
}
