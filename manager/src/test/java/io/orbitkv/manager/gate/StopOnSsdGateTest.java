package io.orbitkv.manager.gate;

/** The gates of stopped reads, over the SSD store on a real file. */
final class StopOnSsdGateTest extends StopGateTest {
  @Override
  GateManager.Store store() {
    return GateManager.Store.SSD;
  }
}
