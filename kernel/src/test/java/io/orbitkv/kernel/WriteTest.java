package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sealed pages on their way to the backing tier. */
class WriteTest {
  private TieredKernel kernel = with(10, 10, 1 << 10);

  private static TieredKernel with(long queuePages, long inFlightPages, long poolPages) {
    return new TieredKernel(
        TieredKernel.settings(100)
            .with(
                ReadSettings.DEFAULT,
                new WriteSettings(
                    queuePages * TieredKernel.PAGE, inFlightPages * TieredKernel.PAGE, 1 << 10)),
        poolPages * TieredKernel.PAGE,
        1,
        TieredKernel.DENSE);
  }

  @Test
  void sealedPage_isWrittenAndCanBeReadBack() {
    kernel.publish(1);
    assertEquals(List.of(1L), kernel.writing());
    Command.Write write = kernel.write(1);
    assertEquals(kernel.stored(0, 1), write.key());
    HostRun run = write.runs().getFirst();
    assertEquals(KernelHarness.PAYLOAD_BYTES, run.payloadBytes());
    assertEquals(TieredKernel.PAGE, run.runBytes());
    assertEquals(0, kernel.status().storedPages());
    kernel.written(1, BackingStatus.DONE);
    assertEquals(1, kernel.status().storedPages());
    assertEquals(1, kernel.count(KernelCounter.WRITTEN_PAGES));
    assertEquals(TieredKernel.PAGE, kernel.count(KernelCounter.WRITTEN_BYTES));
    kernel.evict();
    long query = kernel.demand(1);
    kernel.arrive(1);
    kernel.assertReady(query, 1);
    kernel.assertSums();
  }

  @Test
  void unsealedPage_isNotWritten() {
    kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 1);
    kernel.kernel.done(kernel.kernel.plan());
    assertTrue(kernel.writing().isEmpty());
  }

  @Test
  void withoutABackingTier_nothingIsOffered() {
    kernel = new TieredKernel();
    kernel.publish(1);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(0, kernel.count(KernelCounter.WRITE_OFFERED_PAGES));
  }

  @Test
  void readPage_isNotWrittenBack() {
    kernel.have(1);
    kernel.demand(1);
    kernel.arrive(1);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(0, kernel.count(KernelCounter.WRITE_OFFERED_PAGES));
  }

  @Test
  void storedPage_publishedAgain_isADuplicate() {
    kernel.have(1);
    kernel.publish(1);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(1, kernel.count(KernelCounter.WRITE_DUPLICATE_PAGES));
    kernel.assertSums();
  }

  @Test
  void writesInFlight_areLimitedInBytes() {
    kernel = with(10, 2, 1 << 10);
    kernel.publish(1, 2, 3, 4);
    assertEquals(List.of(1L, 2L), kernel.writing());
    assertEquals(2, kernel.status().queuedWrites());
    assertEquals(2 * TieredKernel.PAGE, kernel.status().queuedWriteBytes());
    kernel.assertSums();
    kernel.written(2, BackingStatus.DONE);
    assertEquals(List.of(1L, 3L), kernel.writing());
    assertEquals(2, kernel.status().writes());
    kernel.assertSums();
  }

  @Test
  void pageLargerThanTheLimitInFlight_isWrittenAlone() {
    kernel = with(10, 0, 1 << 10);
    kernel.publish(1, 2);
    assertEquals(List.of(1L), kernel.writing());
    kernel.written(1, BackingStatus.DONE);
    assertEquals(List.of(2L), kernel.writing());
  }

  @Test
  void fullQueue_dropsWhatComes() {
    kernel = with(2, 1, 1 << 10);
    kernel.publish(1, 2, 3, 4);
    assertEquals(2, kernel.count(KernelCounter.WRITE_QUEUE_FULL_PAGES));
    kernel.assertSums();
    kernel.written(1, BackingStatus.DONE);
    kernel.written(2, BackingStatus.DONE);
    assertTrue(kernel.writing().isEmpty());
    kernel.assertReady(kernel.demand(1, 2, 3, 4), 4);
    kernel.assertSums();
  }

  @Test
  void queuedPage_isNoReferenceAndMayBeEvicted() {
    kernel = with(10, 1, 3);
    kernel.publish(9);
    kernel.publish(1);
    kernel.publish(2);
    assertEquals(List.of(9L), kernel.writing());
    kernel.publish(3);
    assertEquals(1, kernel.count(KernelCounter.EVICTED_PAGES));
    kernel.written(9, BackingStatus.DONE);
    assertEquals(List.of(2L), kernel.writing());
    assertEquals(1, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    kernel.assertSums();
  }

  @Test
  void pageThatIsWritten_isNoVictim() {
    kernel = with(10, 10, 1);
    kernel.publish(1);
    kernel.kernel.publish(TieredKernel.WORKER, kernel.engine, PageKey.NONE, 2);
    assertEquals(1, kernel.count(KernelCounter.PUBLISH_DROPPED_PAGES));
    kernel.written(1, BackingStatus.DONE);
    kernel.publish(2);
    assertEquals(List.of(2L), kernel.writing());
  }

  @Test
  void evict_whileAPageIsWritten_keepsItsRunsUntilTheReport() {
    kernel.publish(1);
    kernel.evict();
    assertEquals(TieredKernel.PAGE, kernel.status().orphanBytes());
    assertTrue(kernel.inFlight().isEmpty());
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.written(1, BackingStatus.DONE);
    assertEquals(0, kernel.status().orphanBytes());
    assertEquals(1, kernel.status().storedPages());
    kernel.assertSums();
  }

  @Test
  void evict_whilePagesWait_dropsThem() {
    kernel = with(10, 1, 1 << 10);
    kernel.publish(1, 2, 3);
    kernel.evict();
    kernel.written(1, BackingStatus.DONE);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(2, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    kernel.assertSums();
  }

  @Test
  void pagePublishedAgain_whileItsFirstCopyIsWritten_isNotWrittenTwice() {
    kernel = with(10, 1, 1 << 10);
    kernel.publish(1);
    kernel.evict();
    kernel.publish(1);
    kernel.written(1, BackingStatus.DONE);
    assertTrue(kernel.writing().isEmpty());
    assertEquals(1, kernel.count(KernelCounter.WRITTEN_PAGES));
    assertEquals(1, kernel.count(KernelCounter.WRITE_DUPLICATE_PAGES));
    kernel.assertSums();
  }

  @Test
  void pageEvictedAndPublishedAgain_whileItWaits_isWrittenOnce() {
    kernel = with(10, 1, 1 << 10);
    kernel.publish(9);
    kernel.publish(1);
    kernel.evict();
    kernel.publish(1);
    kernel.written(9, BackingStatus.DONE);
    assertEquals(List.of(1L), kernel.writing());
    kernel.written(1, BackingStatus.DONE);
    assertEquals(2, kernel.count(KernelCounter.WRITTEN_PAGES));
    assertTrue(kernel.writing().isEmpty());
    kernel.assertSums();
  }

  @ParameterizedTest
  @EnumSource(
      value = BackingStatus.class,
      names = {"FULL", "DEVICE_ERROR", "SHORT", "ABSENT", "CORRUPT"})
  void failedWrite_isCountedAndThePageStaysInMemory(BackingStatus status) {
    kernel.publish(1);
    kernel.written(1, status);
    boolean full = status == BackingStatus.FULL;
    assertEquals(full ? 1 : 0, kernel.count(KernelCounter.WRITE_STORE_FULL_PAGES));
    assertEquals(full ? 0 : 1, kernel.count(KernelCounter.WRITE_FAILED_PAGES));
    assertEquals(0, kernel.status().storedPages());
    kernel.assertReady(kernel.demand(1), 1);
    kernel.assertSums();
  }

  @Test
  void writeOfUnknownOutcome_quarantinesThePage() {
    kernel.publish(1);
    kernel.written(1, BackingStatus.UNKNOWN);
    assertEquals(TieredKernel.PAGE, kernel.status().quarantinedBytes());
    assertEquals(1, kernel.count(KernelCounter.WRITE_FAILED_PAGES));
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.assertSums();
  }

  @Test
  void writeOfUnknownOutcome_leavesALeaseOfThePageAlone() {
    kernel.publish(1, 2);
    long query = kernel.demand(1, 2);
    kernel.written(1, BackingStatus.UNKNOWN);
    kernel.restoreAll(query);
    assertEquals(AnswerState.RESTORED, kernel.kernel.only(Command.Answer.class).state());
    kernel.written(2, BackingStatus.DONE);
    assertEquals(TieredKernel.PAGE, kernel.status().quarantinedBytes());
  }

  @Test
  void write_isNoUseOfThePage() {
    kernel = with(10, 10, 2);
    kernel.publish(1);
    kernel.publish(2);
    kernel.written(2, BackingStatus.DONE);
    kernel.written(1, BackingStatus.DONE);
    kernel.publish(3);
    kernel.lose(1);
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.assertReady(kernel.demand(2), 1);
  }

  @Test
  void pagesOfAnEndedGeneration_areStillWritten() {
    kernel = with(10, 1, 1 << 10);
    kernel.publish(1, 2);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.written(1, BackingStatus.DONE);
    assertEquals(List.of(2L), kernel.writing());
    kernel.written(2, BackingStatus.DONE);
    assertEquals(2, kernel.status().storedPages());
  }

  @Test
  void drain_waitsForWrites() {
    kernel = with(10, 1, 1 << 10);
    kernel.geometriesKept();
    kernel.publish(1, 2);
    kernel.kernel.step(new Event.Drain());
    long registration = kernel.kernel.only(Command.CloseDevice.class).registration();
    kernel.kernel.step(new Event.DeviceClosed(registration));
    kernel.written(1, BackingStatus.DONE);
    assertTrue(kernel.kernel.all(Command.Drained.class).isEmpty());
    kernel.written(2, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Drained.class).size());
  }

  @Test
  void pageOfSeveralRanks_isWrittenWithARunOfEach() {
    kernel =
        new TieredKernel(
            TieredKernel.settings(100).with(ReadSettings.DEFAULT, WriteSettings.DEFAULT),
            1L << 30,
            2,
            TieredKernel.HYBRID);
    kernel.publish(1);
    kernel.publishOf(1, 50);
    assertEquals(2, kernel.write(1).runs().size());
    assertEquals(8000, kernel.write(50).runs().get(1).payloadBytes());
    assertEquals(kernel.stored(1, 50), kernel.write(50).key());
  }

  @Test
  void reportOfAWrite_thatDoesNotRun_breaksAnInvariant() {
    assertThrows(
        BrokenInvariant.class,
        () -> kernel.kernel.step(new Event.PageWritten(77, BackingStatus.DONE)));
  }
}
