package io.orbitkv.policy.unownedwarming;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.RequestTrial;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnownedWarmingTest {
  private final PolicyTester policy = PolicyTester.of(new UnownedWarmingPlugin());

  private RequestTrial request(String id, int memory, int store) {
    return policy.request(id).pages(10).resident(0, memory, store);
  }

  @Test
  void requests_withPagesInTheStore_areWarmedInArrivalOrder() {
    assertThat(policy.queue(request("a", 0, 5), request("b", 3, 2)).warmed())
        .containsExactly("a", "b");
  }

  @Test
  void request_withNothingInTheStore_isLeftOut() {
    assertThat(policy.queue(request("a", 5, 0), request("b", 0, 1)).warmed()).containsExactly("b");
  }

  @Test
  void request_thatExecutes_isLeftOut() {
    assertThat(policy.queue(request("a", 0, 5).executing(), request("b", 0, 5)).warmed())
        .containsExactly("b");
  }

  @Test
  void requests_beyondTheSetting_wait() {
    PolicyTester two = PolicyTester.of(new UnownedWarmingPlugin()).set("requests", "2");
    RequestTrial[] many =
        IntStream.range(0, 10)
            .mapToObj(i -> two.request("r" + i).pages(4).resident(0, 0, 4))
            .toArray(RequestTrial[]::new);

    assertThat(two.queue(many).warmed()).containsExactly("r0", "r1");
  }
}
