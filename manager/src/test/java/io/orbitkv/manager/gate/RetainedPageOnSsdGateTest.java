package io.orbitkv.manager.gate;

/** The gates of retained pages, over the SSD store on a real file. */
final class RetainedPageOnSsdGateTest extends RetainedPageGateTest {
  @Override
  GateManager.Store store() {
    return GateManager.Store.SSD;
  }
}
