package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports reads as ended that it never made; everything else is another tier's. */
final class LyingTier implements BackingTier {
  private final BackingTier tier;
  private final BackingStatus told;
  private @Nullable Listener listener;

  LyingTier(BackingTier tier, BackingStatus told) {
    this.tier = tier;
    this.told = told;
  }

  @Override
  public void start(Listener started) {
    listener = started;
    tier.start(started);
  }

  @Override
  public int read(List<BackingRead> reads) {
    Listener telling = listener;
    if (telling != null) {
      reads.forEach(read -> telling.readDone(read.ticket(), told));
    }
    return reads.size();
  }

  @Override
  public int write(List<BackingWrite> writes) {
    return tier.write(writes);
  }

  @Override
  public void score(List<StoredKey> keys, long[] scores) {
    tier.score(keys, scores);
  }

  @Override
  public void evict(long ticket, StoredKey key) {
    tier.evict(ticket, key);
  }

  @Override
  public void evictAll(long ticket) {
    tier.evictAll(ticket);
  }

  @Override
  public void keep(long ticket, Namespace scope, List<Namespace> kept) {
    tier.keep(ticket, scope, kept);
  }

  @Override
  public void flush(long ticket) {
    tier.flush(ticket);
  }

  @Override
  public BackingUsage usage() {
    return tier.usage();
  }

  @Override
  public void close() {
    tier.close();
  }
}
