package io.orbitkv.ssd.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class PageIndexTest {
  private record Identity(int namespace, int group, long high, long low) {}

  private final PageTable pages = new PageTable();
  private final PageIndex index = new PageIndex(pages);

  private int add(Identity identity) {
    int page = pages.allocate();
    pages.setNamespace(page, identity.namespace);
    pages.setIdentity(page, identity.group, identity.high, identity.low);
    index.add(page);
    return page;
  }

  private int find(Identity identity) {
    return index.find(identity.namespace, identity.group, identity.high, identity.low);
  }

  @Property(tries = 100)
  void index_underRandomChanges_agreesWithAMap(@ForAll long seed) {
    PageIndexTest fresh = new PageIndexTest();
    Random random = new Random(seed);
    Map<Identity, Integer> expected = new HashMap<>();
    for (int i = 0; i < 2000; i++) {
      Identity identity =
          new Identity(random.nextInt(2), random.nextInt(2), random.nextInt(8), random.nextInt(20));
      Integer page = expected.get(identity);
      if (page == null) {
        expected.put(identity, fresh.add(identity));
      } else if (random.nextBoolean()) {
        fresh.index.remove(page);
        fresh.pages.free(page);
        expected.remove(identity);
      } else {
        int copy = fresh.pages.allocate();
        fresh.pages.setNamespace(copy, identity.namespace);
        fresh.pages.setIdentity(copy, identity.group, identity.high, identity.low);
        fresh.index.replace(page, copy);
        fresh.pages.free(page);
        expected.put(identity, copy);
      }
      assertThat(fresh.find(identity)).isEqualTo(expected.getOrDefault(identity, PageTable.NONE));
    }
    expected.forEach((identity, page) -> assertThat(fresh.find(identity)).isEqualTo(page));
  }

  @Example
  void index_ofManyPages_staysSmall() {
    for (int i = 0; i < 100_000; i++) {
      add(new Identity(0, 0, i, 0));
    }
    assertThat(index.capacity()).isLessThan(400_000);
    for (int i = 0; i < 100_000; i++) {
      assertThat(find(new Identity(0, 0, i, 0))).isEqualTo(i);
    }
  }

  @Example
  void table_keepsEveryWordApart() {
    int page = pages.allocate();
    pages.setNamespace(page, -3);
    pages.setIdentity(page, -7, Long.MIN_VALUE, -1);
    pages.setShape(page, 123_456_789, Integer.MAX_VALUE, -5);
    pages.setPlace(page, 2_000_000_000, 1_999_999_999);
    pages.setGeneration(page, Long.MAX_VALUE);
    pages.setScore(page, -9);
    pages.setState(page, PageTable.STORED);
    pages.setUsed(page);
    assertThat(pages.countError(page)).isEqualTo(1);
    assertThat(pages.countError(page)).isEqualTo(2);
    pages.setLinks(page, 17, -1);
    pages.setNext(page, 5);
    assertThat(pages.namespace(page)).isEqualTo(-3);
    assertThat(pages.group(page)).isEqualTo(-7);
    assertThat(pages.keyHigh(page)).isEqualTo(Long.MIN_VALUE);
    assertThat(pages.keyLow(page)).isEqualTo(-1);
    assertThat(pages.blocks(page)).isEqualTo(123_456_789);
    assertThat(pages.payloadBytes(page)).isEqualTo(Integer.MAX_VALUE);
    assertThat(pages.layout(page)).isEqualTo(-5);
    assertThat(pages.segment(page)).isEqualTo(2_000_000_000);
    assertThat(pages.block(page)).isEqualTo(1_999_999_999);
    assertThat(pages.generation(page)).isEqualTo(Long.MAX_VALUE);
    assertThat(pages.score(page)).isEqualTo(-9);
    assertThat(pages.state(page)).isEqualTo(PageTable.STORED);
    assertThat(pages.isUsed(page)).isTrue();
    assertThat(pages.previous(page)).isEqualTo(17);
    assertThat(pages.next(page)).isEqualTo(5);
    pages.free(page);
    assertThat(pages.state(page)).isZero();
    assertThat(pages.allocate()).isEqualTo(page);
    assertThat(pages.isUsed(page)).isFalse();
  }
}
