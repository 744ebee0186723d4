package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy.ReadProgress;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RequestFacts.Hint;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Legal facts of every kind, the odd ones often: unknown quantities, zeros, the largest values, a
 * clock that reads less than nothing.
 */
final class AnyFacts {
  private static final TierKind[] TIERS = TierKind.values();
  private static final Origin[] ORIGINS = Origin.values();

  private final RandomGenerator random;
  private long lastId;

  AnyFacts(RandomGenerator random) {
    this.random = random;
  }

  ChainFacts chain() {
    return chain(random.nextLong(), tier());
  }

  ChainFacts chain(long id, TierKind tier) {
    return new ChainFacts(
        id,
        random.nextBoolean() ? Facts.UNKNOWN : random.nextLong(),
        count(1 << 20),
        count(1 << 16),
        count(1 << 10),
        bytes(),
        tier,
        unknownOr(random.nextLong()),
        random.nextBoolean() ? 0 : random.nextLong(0, Long.MAX_VALUE),
        random.nextInt(8) == 0 ? 0 : random.nextDouble());
  }

  TierKind tier() {
    return TIERS[random.nextInt(TIERS.length)];
  }

  TierFacts tier(TierKind kind) {
    return new TierFacts(
        kind,
        unknownOr(bytes()),
        unknownOr(bytes()),
        unknownOr(bytes()),
        unknownOr(rate()),
        unknownOr(rate()),
        unknownOr(rate()),
        unknownOr(bytes()));
  }

  EngineFacts engine(String instance) {
    return new EngineFacts(instance, unknownOr(rate()), unknownOr(rate()), unknownOr(bytes()));
  }

  RequestFacts request() {
    int device = count(1 << 10);
    int memory = count(1 << 10);
    int store = count(1 << 10);
    int pages = device + memory + store + count(1 << 10);
    return new RequestFacts(
        "engine-" + random.nextInt(1_000),
        "request-" + lastId++,
        random.nextBoolean() ? "" : "scope",
        random.nextLong(),
        random.nextInt(4) == 0 ? count(Integer.MAX_VALUE) : pages * 16 + count(16),
        pages,
        chain(),
        device,
        memory,
        store,
        random.nextInt(4) == 0,
        random.nextBoolean() ? List.of() : List.of(new Hint("priority", random.nextLong())),
        random.nextInt(4) == 0 ? 3 : 1);
  }

  List<RequestFacts> queue() {
    List<RequestFacts> queue = new ArrayList<>();
    int size = random.nextInt(4) == 0 ? 0 : random.nextInt(65);
    for (int i = 0; i < size; i++) {
      queue.add(request());
    }
    return queue;
  }

  ReadProgress progress() {
    return new ReadProgress(
        Duration.ofNanos(random.nextInt(4) == 0 ? 0 : random.nextLong(0, 3_600_000_000_000L)),
        count(1 << 20),
        count(1 << 20),
        count(1 << 20));
  }

  TestPage page(long id) {
    return TestPage.of(id)
        .parent(random.nextBoolean() ? Facts.UNKNOWN : random.nextLong())
        .depth(count(1 << 20))
        .children(count(64))
        .bytes(bytes())
        .lastUseNanos(unknownOr(random.nextLong()))
        .uses(random.nextBoolean() ? 0 : random.nextLong(0, Long.MAX_VALUE))
        .origin(ORIGINS[random.nextInt(ORIGINS.length)]);
  }

  private long unknownOr(long value) {
    return random.nextInt(3) == 0 ? Facts.UNKNOWN : value;
  }

  private int count(int bound) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> bound - 1;
      default -> random.nextInt(bound);
    };
  }

  private long bytes() {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> Long.MAX_VALUE;
      default -> random.nextLong(1L << random.nextInt(1, 44));
    };
  }

  private long rate() {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> Long.MAX_VALUE;
      default -> random.nextLong(1L << random.nextInt(1, 40));
    };
  }
}
