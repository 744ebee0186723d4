package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.RawClient;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EndToEndTest {
  private static final int PAGES = 16;
  private static final int RUN_BYTES = 8192;

  @TempDir Path home;

  @Test
  void publishedPages_comeBackByteForByte() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine engine = new Engine(under.socket(), "model")) {
      engine.publish(100, PAGES);
      ServerMessage.Answer offer = engine.query(100, PAGES + 4);

      assertThat(offer.state()).isEqualTo(AnswerState.READY);
      assertThat(offer.hits()).isEqualTo(PAGES);
      engine.submitRestore(offer.lease(), 32, PAGES);
      assertThat(engine.awaitState(AnswerState.RESTORED).hits()).isEqualTo(PAGES);
      for (int i = 0; i < PAGES; i++) {
        assertThat(engine.wrongWords(32 + i, 100 + i)).isZero();
      }
      KernelStatus status = under.await("the end of the lease", now -> now.leases() == 0);
      assertThat(status.reservedBytes()).isZero();
      assertThat(status.residentPages()).isEqualTo(PAGES);
      assertThat(status.leakedBytes()).isZero();
      under.manager.verify();
    }
  }

  @Test
  void secondEngine_restoresWhatAnotherPublished() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine writer = new Engine(under.socket(), "one");
        Engine reader = new Engine(under.socket(), "two")) {
      writer.publish(100, PAGES);
      ServerMessage.Answer offer = reader.query(100, PAGES);
      reader.submitRestore(offer.lease(), 0, PAGES);
      reader.awaitState(AnswerState.RESTORED);

      assertThat(reader.wrongWords(PAGES - 1, 100 + PAGES - 1)).isZero();
    }
  }

  @Test
  void somebodyElsesLease_isRefusedAndNobodyElseNotices() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine owner = new Engine(under.socket(), "one");
        Engine thief = new Engine(under.socket(), "two")) {
      owner.publish(100, PAGES);
      LeaseId lease = owner.query(100, PAGES).lease();

      thief.client().send(new ClientMessage.Release(thief.nextOperation(), lease));
      assertThat(thief.expect(ServerMessage.Refused.class).error()).isEqualTo(ErrorCode.NOT_OWNER);
      owner.submitRestore(lease, 32, PAGES);
      owner.awaitState(AnswerState.RESTORED);
    }
  }

  @Test
  void poolWithoutRoom_isACountedMiss() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", "16mb");
        Engine engine = new Engine(under.socket(), "model")) {
      int chains = (16 << 20) / RUN_BYTES / PAGES + 8;
      for (int chain = 0; chain < chains; chain++) {
        engine.publish(1000 * chain, PAGES);
      }

      KernelStatus status = under.manager.kernelStatus();
      assertThat(status.residentBytes()).isLessThanOrEqualTo(16 << 20);
      assertThat(status.counters().get("evicted_pages")).isPositive();
      assertThat(engine.query(0, PAGES).state()).isEqualTo(AnswerState.MISS);
    }
  }

  @Test
  void status_saysWhatIsThere() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine engine = new Engine(under.socket(), "model")) {
      engine.publish(100, PAGES);
      engine.client().send(new ClientMessage.Status(engine.nextOperation()));
      String json = engine.expect(ServerMessage.StatusReport.class).json();

      assertThat(json)
          .contains("\"resident_pages\":16")
          .contains("\"leaked_bytes\":0")
          .contains("\"capacity_bytes\":16777216")
          .contains("\"id\":\"dram-tier\"")
          .contains("\"slot\":\"retention.dram\",\"policy\":\"default\",\"state\":\"built-in\"");
      assertThat(under.manager.startupLine())
          .contains("pool 16mb (--pool-size)", "query budget 12mb", "host-copy", "SSD off");
    }
  }

  @Test
  void drain_withAClientThatHoldsALease_endsCleanAndTellsIt() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine engine = new Engine(under.socket(), "model")) {
      engine.publish(100, PAGES);
      engine.taken(engine.query(100, PAGES));

      under.manager.close();

      assertThat(engine.expect(ServerMessage.Refused.class).error()).isEqualTo(ErrorCode.DRAINING);
      assertThat(engine.client().atEnd()).isTrue();
      assertThat(under.socket()).doesNotExist();
      assertThat(under.fatal).isEmpty();
    }
  }

  @Test
  void restart_onTheSamePath_servesAnew() throws Exception {
    long first;
    try (ManagerUnderTest under = new ManagerUnderTest(home)) {
      first = under.manager.epoch();
    }
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        RawClient client = RawClient.connect(under.socket())) {
      assertThat(client.hello(0).epoch()).isNotEqualTo(first);
    }
  }
}
