package io.orbitkv.api.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.settings.Setting;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PolicyFactoryTest {
  record Settings(
      @Setting(def = "0.25", min = "0", max = "1", doc = "share of new chains") double trial) {}

  private static AdmissionPolicy admitAll(Settings settings, PolicyContext context) {
    return (chain, target) -> Admission.admit(Reason.of("all"));
  }

  @Test
  void admission_oneLine_servesAtEachBorder() {
    PolicyFactory<Settings> factory =
        Policies.admission("write-all", Settings.class, PolicyFactoryTest::admitAll);

    assertThat(factory.slots())
        .containsExactly(
            PolicySlot.ADMISSION_DRAM, PolicySlot.ADMISSION_SSD, PolicySlot.ADMISSION_PROMOTE);
    assertThat(factory.replayable()).isTrue();
  }

  @Test
  void name_notLowerCaseWithDashes_isRefused() {
    assertThatThrownBy(
            () -> Policies.admission("Write_All", Settings.class, PolicyFactoryTest::admitAll))
        .hasMessageContaining("policy name [Write_All]");
    assertThatThrownBy(() -> Reason.of("No spaces")).hasMessageContaining("reason [No spaces]");
  }

  @Test
  void key_isThePathInTheConfiguration() {
    assertThat(Arrays.stream(PolicySlot.values()).map(PolicySlot::key))
        .containsExactly(
            "lookahead",
            "warming",
            "cutoff",
            "admission.dram",
            "admission.ssd",
            "admission.promote",
            "retention.dram",
            "retention.ssd");
  }
}
