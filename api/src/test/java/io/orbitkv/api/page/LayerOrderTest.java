package io.orbitkv.api.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LayerOrderTest {
  @Test
  void compare_numbersInNames_byTheirValue() {
    List<String> sorted =
        Stream.of(
                "l.10.k",
                "l.2.v",
                "l.2.k",
                "l.1.k",
                "l",
                "l.02.k",
                "a.300",
                "l.99999999999999999999.k")
            .sorted(LayerOrder.BY_NAME)
            .toList();

    assertThat(sorted)
        .containsExactly(
            "a.300",
            "l",
            "l.1.k",
            "l.02.k",
            "l.2.k",
            "l.2.v",
            "l.10.k",
            "l.99999999999999999999.k");
  }

  @Property
  void compare_anyNames_isATotalOrderThatTellsAllNamesApart(
      @ForAll @StringLength(max = 5) @CharRange(from = '.', to = '2') String one,
      @ForAll @StringLength(max = 5) @CharRange(from = '.', to = '2') String other,
      @ForAll @StringLength(max = 5) @CharRange(from = '.', to = '2') String third) {
    LayerOrder order = LayerOrder.BY_NAME;

    assertThat(Integer.signum(order.compare(one, other)))
        .isEqualTo(-Integer.signum(order.compare(other, one)));
    assertThat(order.compare(one, other) == 0).isEqualTo(one.equals(other));
    if (order.compare(one, other) <= 0 && order.compare(other, third) <= 0) {
      assertThat(order.compare(one, third)).isLessThanOrEqualTo(0);
    }
  }
}
