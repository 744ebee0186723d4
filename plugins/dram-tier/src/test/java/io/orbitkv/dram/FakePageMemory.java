package io.orbitkv.dram;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Page memory that points nowhere and refuses what it is told to. */
final class FakePageMemory implements PageMemory {
  final List<Mapping> mapped = new ArrayList<>();
  final List<Mapping> unmapped = new ArrayList<>();
  final ConcurrentHashMap<Long, Thread> populated = new ConcurrentHashMap<>();
  final CountDownLatch firstPopulate = new CountDownLatch(1);
  LongPredicate refuses = address -> false;
  @Nullable CyclicBarrier meeting;
  int mapsBeforeRefusal = Integer.MAX_VALUE;
  int adviceError;
  private long nextAddress = 1L << 40;

  @Override
  public Mapping map(long bytes, long alignment) {
    if (mapped.size() >= mapsBeforeRefusal) {
      throw new IllegalStateException("no address space");
    }
    Mapping mapping = new Mapping(nextAddress, bytes, nextAddress, bytes);
    nextAddress += (Math.ceilDiv(bytes, 1L << 30) + 1) << 30;
    mapped.add(mapping);
    return mapping;
  }

  @Override
  public void unmap(Mapping mapping) {
    unmapped.add(mapping);
  }

  @Override
  public int adviseHugePages(long address, long bytes) {
    return adviceError;
  }

  @Override
  public int leaveOutOfDumps(long address, long bytes) {
    return adviceError;
  }

  @Override
  public void populate(long address, long bytes) {
    firstPopulate.countDown();
    CyclicBarrier barrier = meeting;
    if (barrier != null) {
      try {
        barrier.await(60, TimeUnit.SECONDS);
      } catch (Exception alone) {
        throw new IllegalStateException("no other thread touches at the same time", alone);
      }
    }
    if (refuses.test(address)) {
      throw new IllegalStateException("no memory left: raise the memory limit of the cgroup");
    }
    populated.put(address, Thread.currentThread());
  }
}
