package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is asked of the backing tier as a whole. */
class StoreRequestTest {
  private final TieredKernel kernel =
      new TieredKernel(
          TieredKernel.settings(100)
              .with(ReadSettings.DEFAULT, new WriteSettings(1 << 20, TieredKernel.PAGE, 1 << 10)),
          1L << 30,
          1,
          TieredKernel.DENSE);

  private <C extends Command> C only(Class<C> type) {
    return kernel.kernel.only(type);
  }

  private void forgot(long ticket, BackingStatus status) {
    kernel.kernel.step(new Event.StoreForgot(ticket, status, 1));
  }

  // ---- evict -----------------------------------------------------------------------------------

  @Test
  void evictOfHostMemory_leavesTheTierAlone() {
    kernel.have(1);
    kernel.evict();
    assertEquals(1, kernel.kernel.all(Command.Done.class).size());
    assertEquals(1, kernel.status().storedPages());
  }

  @Test
  void evictEverywhere_isDoneOnceTheTierHasForgotten() {
    kernel.publish(1);
    kernel.written(1, BackingStatus.DONE);
    long evict = kernel.evictEverywhere();
    Command.EmptyStore empty = only(Command.EmptyStore.class);
    assertEquals(0, kernel.status().storedPages());
    assertTrue(kernel.kernel.all(Command.Done.class).isEmpty());
    forgot(empty.ticket(), BackingStatus.DONE);
    assertEquals(evict, only(Command.Done.class).operation());
    assertEquals(TieredKernel.PAGE, only(Command.Done.class).value());
    assertEquals(0, kernel.status().residentPages());
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.assertSums();
  }

  @Test
  void evictEverywhere_waitsForWritesInFlightAndLetsNoneFollow() {
    kernel.publish(1, 2);
    kernel.evictEverywhere();
    assertTrue(kernel.kernel.all(Command.EmptyStore.class).isEmpty());
    kernel.written(1, BackingStatus.DONE);
    long ticket = only(Command.EmptyStore.class).ticket();
    assertTrue(kernel.writing().isEmpty());
    kernel.publish(3);
    assertTrue(kernel.writing().isEmpty());
    // The notice of the write comes late.
    kernel.have(1);
    forgot(ticket, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Done.class).size());
    assertEquals(0, kernel.status().storedPages());
    assertTrue(kernel.writing().isEmpty());
    assertEquals(2, kernel.count(KernelCounter.WRITE_EVICTED_PAGES));
    kernel.publish(2);
    assertEquals(List.of(2L), kernel.writing());
    kernel.assertSums();
  }

  @Test
  void readOfAnEvictedPage_bringsNothing() {
    kernel.have(1, 2);
    long early = kernel.demand(2);
    long query = kernel.demand(1);
    kernel.evictEverywhere();
    long ticket = only(Command.EmptyStore.class).ticket();
    kernel.arrive(2);
    kernel.assertReady(early, 1);
    forgot(ticket, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Done.class).size());
    kernel.arrive(1);
    kernel.assertState(AnswerState.MISS, query);
    assertEquals(1, kernel.count(KernelCounter.READ_ABSENT_PAGES));
    kernel.assertState(AnswerState.MISS, kernel.demand(1));
    kernel.assertState(AnswerState.MISS, kernel.demand(2));
    kernel.assertSums();
  }

  @Test
  void pageStoredAnew_isReadAlthoughAReadOfItsFormerSelfEndsLate() {
    kernel.have(1);
    long former = kernel.demand(1);
    kernel.evictEverywhere();
    forgot(only(Command.EmptyStore.class).ticket(), BackingStatus.DONE);
    kernel.have(1);
    long later = kernel.demand(1);
    kernel.arrive(1);
    kernel.assertState(AnswerState.MISS, former);
    // It is read again for who joined the read.
    assertEquals(1, kernel.status().storedPages());
    kernel.arrive(1);
    kernel.assertReady(later, 1);
  }

  @Test
  void evictEverywhere_thatTheTierCannotKeep_isRefused() {
    kernel.have(1);
    kernel.evictEverywhere();
    forgot(only(Command.EmptyStore.class).ticket(), BackingStatus.DEVICE_ERROR);
    assertEquals(ErrorCode.DEVICE, only(Command.Refused.class).error());
    assertEquals(0, kernel.status().storedPages());
    kernel.publish(5);
    assertEquals(List.of(5L), kernel.writing());
  }

  @Test
  void evictEverywhere_ofASessionThatIsGone_goesOn() {
    kernel.kernel.open(200);
    kernel.publish(1);
    kernel.kernel.step(new Event.Evict(200, 1, true));
    kernel.kernel.close(200);
    kernel.written(1, BackingStatus.DONE);
    forgot(only(Command.EmptyStore.class).ticket(), BackingStatus.DONE);
    assertTrue(kernel.kernel.all(Command.Done.class).isEmpty());
    assertEquals(0, kernel.status().residentPages());
    kernel.publish(2);
    assertEquals(List.of(2L), kernel.writing());
  }

  @Test
  void evictsEverywhere_oneAfterAnother_areBothDone() {
    kernel.publish(1);
    kernel.evictEverywhere();
    kernel.evictEverywhere();
    kernel.written(1, BackingStatus.DONE);
    forgot(only(Command.EmptyStore.class).ticket(), BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Done.class).size());
    forgot(only(Command.EmptyStore.class).ticket(), BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Done.class).size());
  }

  @Test
  void evictEverywhere_withoutATier_isThatOfHostMemory() {
    TieredKernel bare = new TieredKernel();
    bare.publish(1);
    bare.evictEverywhere();
    assertEquals(TieredKernel.PAGE, bare.kernel.only(Command.Done.class).value());
  }

  @Test
  void drain_waitsForWhatTheTierWasAsked() {
    kernel.geometriesKept();
    kernel.evictEverywhere();
    long ticket = only(Command.EmptyStore.class).ticket();
    kernel.kernel.step(new Event.Drain());
    long registration = only(Command.CloseDevice.class).registration();
    kernel.kernel.step(new Event.DeviceClosed(registration));
    assertTrue(kernel.kernel.all(Command.Drained.class).isEmpty());
    forgot(ticket, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.Drained.class).size());
  }

  // ---- sync ------------------------------------------------------------------------------------

  @Test
  void durableSync_isDoneOnceWhatWaitsIsWrittenAndFlushed() {
    kernel.publish(1, 2);
    long sync = kernel.syncDurably();
    kernel.publish(3);
    kernel.written(1, BackingStatus.DONE);
    assertTrue(kernel.kernel.all(Command.FlushStore.class).isEmpty());
    kernel.written(2, BackingStatus.DEVICE_ERROR);
    long ticket = only(Command.FlushStore.class).ticket();
    assertTrue(kernel.kernel.all(Command.Done.class).isEmpty());
    kernel.kernel.step(new Event.StoreFlushed(ticket, BackingStatus.DONE));
    assertEquals(sync, only(Command.Done.class).operation());
    assertEquals(List.of(3L), kernel.writing());
  }

  @Test
  void durableSyncs_areDoneInTheirOrder() {
    kernel.publish(1);
    kernel.syncDurably();
    kernel.publish(2);
    kernel.syncDurably();
    kernel.syncDurably();
    kernel.written(1, BackingStatus.DONE);
    assertEquals(1, kernel.kernel.all(Command.FlushStore.class).size());
    kernel.written(2, BackingStatus.DONE);
    assertEquals(2, kernel.kernel.all(Command.FlushStore.class).size());
  }

  @Test
  void durableSync_thatCannotBeFlushed_isRefused() {
    kernel.syncDurably();
    long ticket = only(Command.FlushStore.class).ticket();
    kernel.kernel.step(new Event.StoreFlushed(ticket, BackingStatus.DEVICE_ERROR));
    assertEquals(ErrorCode.DEVICE, only(Command.Refused.class).error());
  }

  @Test
  void durableSync_withoutATier_isUnsupported() {
    TieredKernel bare = new TieredKernel();
    bare.syncDurably();
    assertEquals(ErrorCode.UNSUPPORTED, bare.kernel.only(Command.Refused.class).error());
  }

  @Test
  void reportOfARequest_thatDoesNotRun_breaksAnInvariant() {
    assertThrows(
        BrokenInvariant.class,
        () -> kernel.kernel.step(new Event.StoreFlushed(9, BackingStatus.DONE)));
    TieredKernel other = new TieredKernel();
    assertThrows(
        BrokenInvariant.class,
        () -> other.kernel.step(new Event.StoreForgot(9, BackingStatus.DONE, 0)));
  }

  // ---- geometries ------------------------------------------------------------------------------

  @Test
  void sealedInstance_tellsTheTierWhichGeometryToKeep() {
    // The first engine was told of when it registered.
    kernel.kernel.open(60);
    Command.Registered same =
        kernel.kernel.register("twin", 60, TieredKernel.layout(0, 1, TieredKernel.DENSE));
    assertTrue(same.sealed());
    assertTrue(kernel.kernel.all(Command.KeepGeometries.class).isEmpty());
    kernel.kernel.open(61);
    kernel.kernel.register("other", 61, KernelHarness.layout(0, 1, -1, 1500));
    // As long as the former geometry lives it is kept as well.
    assertTrue(kernel.kernel.all(Command.KeepGeometries.class).isEmpty());
    kernel.kernel.close(60);
    kernel.kernel.close(TieredKernel.WORKER);
    kernel.kernel.close(61);
    kernel.kernel.open(62);
    kernel.kernel.register("next", 62, KernelHarness.layout(0, 1, -1, 1500));
    Command.KeepGeometries keep = only(Command.KeepGeometries.class);
    assertEquals(KernelHarness.NAMESPACE, keep.scope());
    assertEquals(1, keep.kept().size());
    Namespace former = kernel.stored(0, 1).namespace();
    assertTrue(!keep.kept().contains(former));
    kernel.kernel.step(new Event.StoreForgot(keep.ticket(), BackingStatus.DONE, 7));
    assertEquals(7, kernel.count(KernelCounter.STORED_PAGES_DROPPED));
  }

  @Test
  void pagesOfAnotherGeometryOrNamespace_areNeverServed() {
    kernel.have(1);
    kernel.kernel.open(61);
    int other =
        kernel.kernel.register("other", 61, KernelHarness.layout(0, 1, -1, 1500)).instance();
    assertEquals(AnswerState.MISS, kernel.kernel.ask(61, other, 1).state());
    kernel.kernel.open(62);
    kernel.kernel.step(
        new Event.Register(
            62,
            kernel.kernel.operation(),
            "tenant",
            new Namespace("77".repeat(32)),
            TieredKernel.layout(0, 1, TieredKernel.DENSE),
            FakeDeviceMemory.descriptor()));
    int tenant = kernel.kernel.openDevice(only(Command.OpenDevice.class).registration()).instance();
    assertEquals(AnswerState.MISS, kernel.kernel.ask(62, tenant, 1).state());
    assertTrue(kernel.inFlight().isEmpty());
    long query = kernel.demand(1);
    kernel.arrive(1);
    kernel.assertReady(query, 1);
  }

  @Test
  void manyStoredPages_areTakenInAtOnce() {
    kernel.kernel.step(new Event.PagesStored(List.of(kernel.stored(0, 1), kernel.stored(0, 2))));
    assertEquals(2, kernel.status().storedPages());
    kernel.demand(1, 2);
    assertEquals(List.of(1L, 2L), kernel.inFlight());
  }
}
