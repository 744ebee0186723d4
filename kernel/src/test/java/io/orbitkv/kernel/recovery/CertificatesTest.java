package io.orbitkv.kernel.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CertificatesTest {
  private static List<Boolean> sampled(int every, int leases) {
    CertificateSampling sampling = new CertificateSampling(every);
    List<Boolean> due = new ArrayList<>();
    for (int lease = 0; lease < leases; lease++) {
      due.add(sampling.due());
    }
    return due;
  }

  @Test
  void sampling_everyThird_isEveryThird() {
    assertThat(sampled(3, 7)).containsExactly(false, false, true, false, false, true, false);
  }

  @Test
  void sampling_everyOne_isEach() {
    assertThat(sampled(1, 3)).containsExactly(true, true, true);
  }

  @Test
  void sampling_none_isNever() {
    assertThat(sampled(0, 3)).containsExactly(false, false, false);
  }

  @Test
  void sampling_negative_isRefused() {
    assertThatThrownBy(() -> new CertificateSampling(-1)).hasMessageContaining("every [-1]");
  }

  @Test
  void question_ofASubmit_asksWhatItAsks() {
    int[] groups = {0};
    int[] pages = {1};
    long[] keys = {1, 2};
    Event.Submit submit =
        new Event.Submit(
            3, 11, 2, Event.NO_RECORD, 5, QueryKind.PRODUCER_WAIT, "r", groups, pages, keys, null);

    Question question = Question.of(submit);

    assertThat(question)
        .isEqualTo(new Question(3, 11, 2, QueryKind.PRODUCER_WAIT, groups, pages, keys, null));
    assertThat(question.strict()).isTrue();
  }

  @Test
  void sealedModel_thatIsNone_isRefused() {
    SealedModel model = OfferedLease.model(new GroupRule.Prefix(), new GroupRule.Checkpoint());

    for (int ranks : new int[] {0, 33}) {
      assertThatThrownBy(() -> new SealedModel(1, model.contract(), ranks, model.domains()))
          .hasMessageContaining("[" + ranks + "] ranks");
    }
    assertThatThrownBy(() -> new SealedModel(1, model.contract(), 1, new int[] {4}))
        .hasMessageContaining("key spaces [4]");
    assertThatThrownBy(() -> new SealedModel(1, model.contract(), 1, new int[] {4, 4}))
        .hasMessageContaining("key spaces [4, 4]");
  }

  @Test
  void digest_similarRuns_differ() {
    Set<Long> digests = new HashSet<>();
    int runs = 0;
    for (int high = 0; high < 40; high++) {
      for (int low = 0; low < 40; low++) {
        digests.add(KeyDigest.of(new long[] {high, low}, 0, 1));
        digests.add(KeyDigest.of(new long[] {high, low, low, high}, 0, 2));
        runs += 2;
      }
    }

    assertThat(digests).hasSize(runs).doesNotContain(KeyDigest.EMPTY);
  }

  @Test
  void digest_partOfARun_isThatOfItsKeys() {
    assertThat(KeyDigest.of(new long[] {1, 2, 3, 4, 5, 6}, 1, 1))
        .isEqualTo(KeyDigest.append(KeyDigest.EMPTY, 3, 4));
  }
}
