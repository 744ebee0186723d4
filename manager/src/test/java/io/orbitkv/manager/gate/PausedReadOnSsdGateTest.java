package io.orbitkv.manager.gate;

/** The gates of paused reads, over the SSD store on a real file. */
final class PausedReadOnSsdGateTest extends PausedReadGateTest {
  @Override
  GateManager.Store store() {
    return GateManager.Store.SSD;
  }
}
