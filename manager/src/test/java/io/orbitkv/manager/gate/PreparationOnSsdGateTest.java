package io.orbitkv.manager.gate;

/** The gates of preparations, over the SSD store on a real file. */
final class PreparationOnSsdGateTest extends PreparationGateTest {
  @Override
  GateManager.Store store() {
    return GateManager.Store.SSD;
  }
}
