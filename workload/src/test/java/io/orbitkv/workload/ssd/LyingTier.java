package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.testkit.simulation.ForwardingBackingTier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports reads as ended that it never made; everything else is another tier's. */
final class LyingTier extends ForwardingBackingTier {
  private final BackingStatus told;
  private @Nullable Listener listener;

  LyingTier(BackingTier tier, BackingStatus told) {
    super(tier);
    this.told = told;
  }

  @Override
  public void start(Listener started) {
    listener = started;
    super.start(started);
  }

  @Override
  public int read(List<BackingRead> reads) {
    Listener telling = listener;
    if (telling != null) {
      reads.forEach(read -> telling.readDone(read.ticket(), told));
    }
    return reads.size();
  }
}
