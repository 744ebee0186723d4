package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A copier with room for a few plans, which end when a test says so. */
final class FakeCopier implements DeviceCopier {
  record Taken(CopyPlan plan, CopyListener listener) {
    void done() {
      listener.completed(plan, new CopyOutcome.Done());
    }
  }

  final BlockingQueue<Taken> taken = new LinkedBlockingQueue<>();
  final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
  final AtomicInteger room = new AtomicInteger(Integer.MAX_VALUE);
  volatile boolean refusesToOpen;
  volatile @Nullable Error missing;

  @Override
  public String memoryKind() {
    return DeviceMemoryDescriptor.SharedMemory.KIND;
  }

  @Override
  public void registerHostMemory(HostChunk chunk) {
    calls.add("register " + chunk.index());
    failIfMissing();
  }

  @Override
  public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    calls.add("open on " + Thread.currentThread().getName());
    if (refusesToOpen) {
      throw new IllegalArgumentException("planted refusal");
    }
    failIfMissing();
    return () -> {
      calls.add("close on " + Thread.currentThread().getName());
      failIfMissing();
    };
  }

  private void failIfMissing() {
    Error planted = missing;
    if (planted != null) {
      throw planted;
    }
  }

  @Override
  public boolean submit(CopyPlan plan, CopyListener listener) {
    if (room.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
      return false;
    }
    taken.add(new Taken(plan, listener));
    return true;
  }

  @Override
  public void close() {}
}
