package io.orbitkv.policy.arrivallookahead;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.RequestTrial;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ArrivalLookaheadTest {
  private final PolicyTester policy = PolicyTester.of(new ArrivalLookaheadPlugin());

  private static RequestTrial request(PolicyTester policy, String id) {
    return policy.request(id).pages(10).resident(0, 0, 5);
  }

  private static RequestTrial[] requests(PolicyTester policy, String... ids) {
    return Arrays.stream(ids).map(id -> request(policy, id)).toArray(RequestTrial[]::new);
  }

  @Test
  void queue_longerThanFour_hasItsFirstFourPreparedInArrivalOrder() {
    assertThat(policy.queue(requests(policy, "a", "b", "c", "d", "e", "f")).prepared())
        .containsExactly("a", "b", "c", "d");
  }

  @Test
  void requests_thatExecute_areNeitherPreparedNorCounted() {
    assertThat(
            policy
                .queue(
                    request(policy, "a").executing(),
                    request(policy, "b"),
                    request(policy, "c").executing(),
                    request(policy, "d"),
                    request(policy, "e"),
                    request(policy, "f"),
                    request(policy, "g"))
                .prepared())
        .containsExactly("b", "d", "e", "f");
  }

  @Test
  void request_whollyResident_isPassedOver() {
    assertThat(
            policy
                .queue(
                    policy.request("device").pages(10).resident(10, 0, 0),
                    policy.request("memory").pages(10).resident(2, 8, 0),
                    policy.request("nowhere").pages(10),
                    request(policy, "store"),
                    request(policy, "fifth"))
                .prepared())
        .containsExactly("store");
  }

  @Test
  void request_largerThanTheSetting_isPassedOverAndNotShortened() {
    PolicyTester limited =
        PolicyTester.of(new ArrivalLookaheadPlugin()).set("largest-range", "8mb");

    assertThat(
            limited
                .queue(
                    limited.request("fits").pages(20, 16, 1 << 20).resident(9, 4, 4),
                    limited.request("does-not").pages(20, 16, 1 << 20).resident(9, 5, 4))
                .prepared())
        .containsExactly("fits");
  }

  @Test
  void requestWithSeveralGroups_isPreparedOnlyWhereTheSettingAllowsIt() {
    PolicyTester allowing =
        PolicyTester.of(new ArrivalLookaheadPlugin()).set("multi-group", "true");

    assertThat(policy.queue(request(policy, "a").groups(3), request(policy, "b")).prepared())
        .containsExactly("b");
    assertThat(allowing.queue(request(allowing, "a").groups(3)).prepared()).containsExactly("a");
  }

  @Test
  void preparedRequest_whosePagesAreReadMeanwhile_staysChosen() {
    policy.queue(requests(policy, "a", "b")).prepared();

    assertThat(
            policy
                .queue(policy.request("a").pages(10).resident(0, 5, 0), request(policy, "b"))
                .prepared())
        .containsExactly("a", "b");
  }

  @Test
  void preparedRequest_thatStarts_isGivenUpForTheNext() {
    policy.queue(requests(policy, "a", "b", "c", "d", "e")).prepared();

    assertThat(
            policy
                .queue(
                    request(policy, "a").executing(),
                    request(policy, "b"),
                    request(policy, "c"),
                    request(policy, "d"),
                    request(policy, "e"))
                .prepared())
        .containsExactly("b", "c", "d", "e");
  }

  @Test
  void preparedRequest_thatOthersOvertake_isGivenUp() {
    policy.queue(requests(policy, "a")).prepared();

    assertThat(policy.queue(requests(policy, "w", "x", "y", "z", "a")).prepared())
        .containsExactly("w", "x", "y", "z");
  }

  @Test
  void residentRequest_ofAnotherEngineWithTheSameName_isPassedOver() {
    policy.queue(request(policy, "a").instance("one")).prepared();

    assertThat(
            policy
                .queue(policy.request("a").instance("two").pages(10).resident(0, 5, 0))
                .prepared())
        .isEmpty();
  }

  @Test
  void residentRequest_thatLeftTheQueueAndCameBack_isPassedOver() {
    policy.queue(requests(policy, "a", "b")).prepared();
    policy.queue(requests(policy, "b")).prepared();

    assertThat(
            policy
                .queue(policy.request("a").pages(10).resident(0, 5, 0), request(policy, "b"))
                .prepared())
        .containsExactly("b");
  }
}
