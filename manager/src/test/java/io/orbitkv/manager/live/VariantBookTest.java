package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.dispatch.VariantCounters;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VariantBookTest {
  private static final String PAGES = "pages";

  @Test
  void counts_whenVariantsChange_stayWithWhoServedMeanwhile_andAddUp() {
    VariantBook book = new VariantBook();
    book.change("A", Map.of(PAGES, 10L));
    book.change("B", Map.of(PAGES, 15L));
    book.change("A", Map.of(PAGES, 35L));
    book.change("none", Map.of(PAGES, 36L));

    VariantCounters now = book.at(Map.of(PAGES, 40L));

    assertThat(now.current()).isEqualTo("none");
    assertThat(now.counts())
        .isEqualTo(
            Map.of(
                "none", Map.of(PAGES, 14L),
                "A", Map.of(PAGES, 6L),
                "B", Map.of(PAGES, 20L)));
    // Looking changes nothing.
    assertThat(book.at(Map.of(PAGES, 40L))).isEqualTo(now);
  }
}
