package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.fixture.EngineMain;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class ClientKilledTest {
  @TempDir Path home;

  @ParameterizedTest
  @EnumSource(EngineMain.State.class)
  void killedClient_leavesNothingBehind(EngineMain.State state) throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home)) {
      try (ChildProcess engine =
          ChildProcess.start(EngineMain.class, under.socket().toString(), state.name())) {
        engine.awaitLine(EngineMain.THERE);
        engine.kill();
      }

      KernelStatus status = under.awaitNothingHeld();
      assertThat(status.reservedBytes()).isZero();
      assertThat(status.unsealedBytes()).isZero();
      assertThat(status.orphanBytes()).isZero();
      assertThat(status.quarantinedBytes()).isZero();
      assertThat(status.leakedBytes()).isZero();
      assertThat(status.memory().allocatedBytes()).isEqualTo(status.residentBytes());
      assertThat(status.residentPages())
          .isEqualTo(state.compareTo(EngineMain.State.SEALED) >= 0 ? EngineMain.PAGES : 0);
      assertThat(under.fatal).isEmpty();
    }
  }
}
