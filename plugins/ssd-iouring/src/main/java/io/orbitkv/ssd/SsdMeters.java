package io.orbitkv.ssd;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.ssd.device.DeviceUsage;
import io.orbitkv.ssd.store.StoreUsage;
import java.util.List;
import java.util.function.ToLongFunction;

/** What the tier measures, summed over its paths. */
final class SsdMeters {
  private final Meters meters;
  private final List<Shard> shards;

  private SsdMeters(Meters meters, List<Shard> shards) {
    this.meters = meters;
    this.shards = shards;
  }

  static void register(Meters meters, List<Shard> shards) {
    SsdMeters own = new SsdMeters(meters, List.copyOf(shards));
    own.store();
    own.start();
    own.device();
  }

  private void store() {
    ofStore("pages", "Findable pages", StoreUsage::pages);
    ofStore("live_bytes", "Payload of findable pages", StoreUsage::liveBytes);
    ofStore("capacity_bytes", "Bytes that the store may use", StoreUsage::capacityBytes);
    ofStore("free_segments", "Empty segments", StoreUsage::freeSegments);
    ofStore("segments", "Segments", StoreUsage::segments);
    ofStore("payload_written_bytes", "Payload written", StoreUsage::payloadWrittenBytes);
    ofStore(
        "device_written_bytes",
        "Written to the devices, headers and moved pages included",
        StoreUsage::deviceWrittenBytes);
    ofStore(
        "lifetime_written_bytes",
        "Written to the devices since they were formatted",
        StoreUsage::lifetimeWrittenBytes);
    ofStore("reinserted_bytes", "Moved out of victims", StoreUsage::reinsertedBytes);
    meters.gauge(
        "write_amplification_percent",
        "Bytes written to the devices, in hundredths of the payload written; 0 before any",
        () -> {
          long payload = sum(StoreUsage::payloadWrittenBytes);
          return payload == 0 ? 0 : 100 * sum(StoreUsage::deviceWrittenBytes) / payload;
        });
    ofStore("evicted_pages", "Forgotten on request", StoreUsage::evictedPages);
    ofStore("lost_pages", "Gone with their segments", StoreUsage::lostPages);
    ofStore("corrupt_pages", "Dropped after a failed check", StoreUsage::corruptPages);
    ofStore("unreadable_pages", "Dropped after device errors", StoreUsage::unreadablePages);
    ofStore("read_errors", "Reads that a device failed", StoreUsage::readErrors);
    ofStore("write_errors", "Writes that a device failed", StoreUsage::writeErrors);
    ofStore("duplicate_writes", "Writes of stored pages", StoreUsage::duplicateWrites);
    ofStore("refused_full_writes", "Writes without room", StoreUsage::refusedFull);
    ofStore("refused_budget_writes", "Writes beyond the day's budget", StoreUsage::refusedBudget);
    ofStore("refused_degraded_writes", "Writes while degraded", StoreUsage::refusedDegraded);
    ofStore(
        "uncertain_evictions",
        "Evictions that a device would not make durable",
        StoreUsage::uncertainEvictions);
    meters.gauge(
        "degraded_paths",
        "Paths that do not write, or are not used any more",
        () -> shards.stream().filter(shard -> !shard.degraded().isEmpty()).count());
  }

  private void start() {
    ofStore("start_recovered_pages", "Found at start", usage -> usage.start().recoveredPages());
    ofStore(
        "start_dropped_pages",
        "On the devices at start and not findable",
        usage -> usage.start().droppedPages());
    ofStore(
        "start_walked_segments",
        "Segments whose page headers were walked at start",
        usage -> usage.start().walkedSegments());
    ofStore(
        "start_damaged_segments",
        "Segments that were emptied at start",
        usage -> usage.start().damagedSegments());
  }

  private void device() {
    ofDevice("device_read_bytes", "Read from the devices", DeviceUsage::readBytes);
    ofDevice("queued_read_bytes", "Submitted and not read", DeviceUsage::queuedReadBytes);
    ofDevice("queued_write_bytes", "Submitted and not written", DeviceUsage::queuedWriteBytes);
    meters.gauge(
        "oldest_transfer_nanos",
        "Age of the oldest transfer that has not ended, over all paths",
        () -> shards.stream().mapToLong(shard -> shard.load().oldestNanos()).max().orElse(0));
    meters.gauge(
        "io_uring_paths",
        "Paths that are driven by io_uring; the others by threads",
        () -> shards.stream().filter(shard -> shard.load().engine().equals("io-uring")).count());
    meters.gauge(
        "direct_paths",
        "Paths whose transfers pass the page cache by",
        () -> shards.stream().filter(Shard::direct).count());
  }

  private void ofStore(String name, String description, ToLongFunction<StoreUsage> value) {
    meters.gauge(name, description, () -> sum(value));
  }

  private void ofDevice(String name, String description, ToLongFunction<DeviceUsage> value) {
    meters.gauge(
        name,
        description,
        () -> shards.stream().mapToLong(shard -> value.applyAsLong(shard.load())).sum());
  }

  private long sum(ToLongFunction<StoreUsage> value) {
    return shards.stream().mapToLong(shard -> value.applyAsLong(shard.usage())).sum();
  }
}
