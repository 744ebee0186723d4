package io.orbitkv.ssd;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.ssd.device.DeviceFile;
import io.orbitkv.ssd.device.DeviceSettings;
import io.orbitkv.ssd.device.DeviceUsage;
import io.orbitkv.ssd.device.Devices;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.store.Store;
import io.orbitkv.ssd.store.StoreSettings;
import io.orbitkv.ssd.store.StoreUsage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tier: one {@link Shard} a path. A page belongs to the path that its key's digest names, so
 * that the paths share the load and a lookup asks one of them.
 */
public final class SsdTier implements BackingTier {
  private static final int READ_THREADS = 16;
  private static final int WRITE_THREADS = 8;

  private final SsdSettings settings;
  private final List<HostChunk> chunks;
  private final PluginContext context;
  private final List<DeviceFile> files;
  private final List<Shard> shards = new ArrayList<>();
  private @Nullable Checkers checkers;
  private @Nullable Gathering gathering;

  private SsdTier(
      SsdSettings settings, List<HostChunk> chunks, PluginContext context, List<DeviceFile> files) {
    this.settings = settings;
    this.chunks = List.copyOf(chunks);
    this.context = context;
    this.files = files;
  }

  /**
   * Boot thread. Opens, locks and sizes the files; the stores are opened by {@link #start}.
   *
   * @throws IllegalStateException saying which path cannot be used, why, and what to do
   */
  public static SsdTier open(SsdSettings settings, List<HostChunk> chunks, PluginContext context) {
    if (settings.paths().isEmpty()) {
      throw new IllegalStateException(
          "the SSD tier has no path: set ssd.paths (--ssd-cache-path), or backing.tier: none");
    }
    List<DeviceFile> files = new ArrayList<>();
    boolean opened = false;
    try {
      for (String path : settings.paths()) {
        files.add(
            DeviceFile.open(
                Path.of(path),
                settings.capacityOfAPath(),
                settings.direct() == SsdSettings.Direct.ON));
      }
      opened = true;
      return new SsdTier(settings, chunks, context, files);
    } catch (IOException refused) {
      throw new IllegalStateException(
          "the SSD tier cannot start: " + refused.getMessage(), refused);
    } finally {
      if (!opened) {
        files.forEach(DeviceFile::close);
      }
    }
  }

  @Override
  public void start(Listener listener) {
    Gathering gathered = new Gathering(listener, files.size());
    gathering = gathered;
    Checkers checking = new Checkers(settings.checkers(), context.threads());
    checkers = checking;
    for (int number = 0; number < files.size(); number++) {
      Shard shard = shard(number, checking, gathered);
      shards.add(shard);
      tell(shard);
    }
    SsdMeters.register(context.meters(), shards);
  }

  private Shard shard(int number, Checkers checking, Listener listener) {
    DeviceFile file = files.get(number);
    StoreSettings storeSettings =
        new StoreSettings(
            number,
            files.size(),
            settings.capacityOfAPath(),
            settings.segmentSize().bytes(),
            settings.reserveSegments(),
            settings.reinsertPercent(),
            Math.ceilDiv(settings.writesPerDay().bytes(), files.size()),
            settings.mostOpen(),
            settings.format());
    return new Shard(
        file,
        settings.mostOpen(),
        settings.ownerChecks().bytes(),
        outbox -> {
          try {
            return Store.open(
                file, storeSettings, new SecureRandom(), context.nanoClock().getAsLong(), outbox);
          } catch (IOException failed) {
            throw new UncheckedIOException(
                "the SSD store at [" + file.path() + "] cannot be opened: " + failed.getMessage(),
                failed);
          }
        },
        (store, completions) -> device(file, store, completions),
        checking,
        listener,
        context);
  }

  private Devices.Started device(
      DeviceFile file, Store store, StoreDevice.Completions completions) {
    List<Span> buffers = new ArrayList<>(store.scratch());
    chunks.forEach(chunk -> buffers.add(new Span(chunk.address(), chunk.bytes())));
    try {
      return Devices.start(
          file,
          new DeviceSettings(
              settings.engine(),
              settings.fixedBuffers(),
              settings.writeShare(),
              settings.writeYield().toNanos(),
              settings.writeBesideReads().bytes(),
              settings.requestSize().bytes(),
              settings.readInFlight().bytes(),
              settings.writeInFlight().bytes(),
              READ_THREADS,
              WRITE_THREADS,
              settings.requestLogFile()),
          new Devices.Environment(
              Store.unusedBlock(file.geometry().blockBytes()),
              buffers,
              context.threads(),
              context.nanoClock(),
              context.log()),
          completions);
    } catch (IOException refused) {
      throw new IllegalStateException(
          "the SSD tier cannot start: " + refused.getMessage(), refused);
    }
  }

  private void tell(Shard shard) {
    StoreUsage usage = shard.usage();
    StoreUsage.Start found = usage.start();
    context.log().log(
        System.Logger.Level.INFO,
        "SSD store at [{0}]: engine {1} ({2}), {3}; {4} pages of {5} bytes in {6} segments;"
            + " {7} pages dropped; {8}",
        shard.path(),
        shard.load().engine(),
        shard.choice().reason(),
        shard.direct() ? "past the page cache" : "through the page cache: direct is off",
        usage.pages(),
        usage.liveBytes(),
        usage.segments(),
        found.droppedPages(),
        found.formatted()
            ? "new"
            : found.clean() ? "it had been stopped cleanly" : "it had not been stopped cleanly");
  }

  @Override
  public int read(List<BackingRead> reads) {
    return take(reads, read -> shardOf(read.key()).read(read));
  }

  @Override
  public int write(List<BackingWrite> writes) {
    return take(writes, write -> shardOf(write.key()).write(write));
  }

  private static <T> int take(List<T> offered, Predicate<T> taking) {
    int taken = 0;
    while (taken < offered.size() && taking.test(offered.get(taken))) {
      taken++;
    }
    return taken;
  }

  @Override
  public void raise(long ticket) {
    // Which path reads it is not remembered; the others know nothing of the ticket.
    shards.forEach(shard -> shard.raise(ticket));
  }

  @Override
  public void evict(long ticket, StoredKey key) {
    shardOf(key).evict(ticket, key);
  }

  @Override
  public void flush(long ticket) {
    started().expect(ticket);
    shards.forEach(shard -> shard.flush(ticket));
  }

  @Override
  public BackingUsage usage() {
    long queuedReads = 0;
    long queuedWrites = 0;
    Set<String> engines = new TreeSet<>();
    List<String> degraded = new ArrayList<>();
    for (Shard shard : shards) {
      DeviceUsage load = shard.load();
      queuedReads += load.queuedReadBytes();
      queuedWrites += load.queuedWriteBytes();
      engines.add(load.engine());
      if (!shard.degraded().isEmpty()) {
        degraded.add("[" + shard.path() + "]: " + shard.degraded());
      }
    }
    return new BackingUsage(
        String.join(" and ", engines),
        sum(StoreUsage::capacityBytes),
        sum(StoreUsage::liveBytes),
        sum(StoreUsage::pages),
        queuedReads,
        queuedWrites,
        sum(StoreUsage::payloadWrittenBytes),
        sum(StoreUsage::deviceWrittenBytes),
        budgetBytes(),
        String.join("; ", degraded));
  }

  private long sum(ToLongFunction<StoreUsage> figure) {
    return shards.stream().mapToLong(shard -> figure.applyAsLong(shard.usage())).sum();
  }

  /** Pages go to all paths alike, so the scarcest one decides. */
  private long budgetBytes() {
    long least = BackingUsage.UNLIMITED;
    for (Shard shard : shards) {
      least = Math.min(least, shard.usage().budgetBytes());
    }
    return least == BackingUsage.UNLIMITED ? least : least * shards.size();
  }

  @Override
  public void close() {
    shards.forEach(Shard::close);
    Checkers checking = checkers;
    if (checking != null) {
      checking.close();
    }
    files.forEach(DeviceFile::close);
  }

  @Override
  public void evictAll(long ticket) {
    started().expect(ticket);
    shards.forEach(shard -> shard.evictAll(ticket));
  }

  @Override
  public void keep(long ticket, Namespace scope, List<Namespace> kept) {
    List<Namespace> copy = List.copyOf(kept);
    started().expect(ticket);
    shards.forEach(shard -> shard.keep(ticket, scope, copy));
  }

  @Override
  public void score(List<StoredKey> keys, long[] scores) {
    // Each path gets its own pages in one task.
    List<List<StoredKey>> keysOf = new ArrayList<>();
    long[][] scoresOf = new long[shards.size()][keys.size()];
    shards.forEach(shard -> keysOf.add(new ArrayList<>()));
    for (int i = 0; i < keys.size(); i++) {
      int shard = Store.shardOf(keys.get(i), shards.size());
      scoresOf[shard][keysOf.get(shard).size()] = scores[i];
      keysOf.get(shard).add(keys.get(i));
    }
    for (int shard = 0; shard < scoresOf.length; shard++) {
      if (!keysOf.get(shard).isEmpty()) {
        shards.get(shard).score(keysOf.get(shard), scoresOf[shard]);
      }
    }
  }

  private Gathering started() {
    Gathering gathered = gathering;
    if (gathered == null) {
      throw new IllegalStateException("the SSD tier is used before it was started");
    }
    return gathered;
  }

  private Shard shardOf(StoredKey key) {
    return shards.get(Store.shardOf(key, shards.size()));
  }
}
