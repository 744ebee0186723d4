package io.orbitkv.hostcopy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.concurrency.Race;
import io.orbitkv.testkit.TestPluginContext;
import io.orbitkv.testkit.memory.SealedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Submitters, copying threads and whoever closes, at once. */
@Timeout(300)
class CopierRaceTest {
  private static final int PAGE_BYTES = 8 << 10;
  private static final int SLICE_BYTES = 4 << 10;
  private static final int PAGES = 8;
  private static final WorkerLayout LAYOUT =
      new WorkerLayout(
          0,
          1,
          16,
          -1,
          List.of(new GroupSpec(0, new GroupRule.Prefix())),
          List.of(new LayerLayout("layer", 0, 0, PAGES, PAGE_BYTES, 1, 0, PAGE_BYTES)));
  private static final SlotLayout SLOT = LAYOUT.slots().getFirst();

  private static CopyPlan plan(
      long id, DeviceMemory memory, Direction direction, MemorySegment host, int page) {
    return new CopyPlan(
        id,
        memory,
        SLOT,
        direction,
        id % 3 == 0,
        CopyPlan.NO_EVENT,
        new long[] {host.address() + (long) page * SLOT.runBytes()},
        new int[] {page});
  }

  @Test
  void slices_takenBySeveralThreads_areCopiedOnceAndTheLastEndsThePlan() {
    Race.play(Slices::new);
  }

  private static final class Slices implements Race.Round {
    private static final int PLANS = 12;
    private static final int SLICES = PAGE_BYTES / SLICE_BYTES;

    private final SliceQueue queue = new SliceQueue(4, SLICE_BYTES, 2);
    private final AtomicIntegerArray taken = new AtomicIntegerArray(PLANS * SLICES);
    private final AtomicIntegerArray running = new AtomicIntegerArray(PLANS);
    private final AtomicIntegerArray ended = new AtomicIntegerArray(PLANS);
    private final AtomicInteger early = new AtomicInteger();

    @Override
    public List<Race.Actor> actors() {
      return List.of(this::submit, this::work, this::work, this::work);
    }

    private void submit() {
      for (int id = 0; id < PLANS; id++) {
        PlanRun run =
            new PlanRun(
                plan(id, () -> {}, Direction.HOST_TO_DEVICE, MemorySegment.NULL, 0),
                (completed, outcome) -> {},
                0);
        while (!queue.add(run)) {
          Thread.onSpinWait();
        }
      }
      queue.close();
    }

    private void work() {
      for (PlanRun.Slice slice = queue.take(); slice != null; slice = queue.take()) {
        int id = (int) slice.run().plan().id();
        running.incrementAndGet(id);
        if (!slice.isCheck()) {
          taken.incrementAndGet(id * SLICES + (int) slice.from() / SLICE_BYTES);
        }
        running.decrementAndGet(id);
        if (queue.returned(slice, null)) {
          ended.incrementAndGet(id);
          early.addAndGet(running.get(id));
        }
      }
    }

    @Override
    public void check() {
      for (int id = 0; id < PLANS; id++) {
        assertThat(ended.get(id)).as("reports of plan %d", id).isEqualTo(1);
      }
      for (int slice = 0; slice < PLANS * SLICES; slice++) {
        assertThat(taken.get(slice)).as("slice %d", slice).isEqualTo(1);
      }
      assertThat(early).as("slices that were copied beyond their plan's end").hasValue(0);
      assertThat(queue.plans()).isZero();
    }
  }

  @Test
  void report_comesAfterTheBytesAndWhenTheMemoryMayBeClosed() {
    try (TestPluginContext context = new TestPluginContext("host-copy");
        Arena arena = Arena.ofShared();
        SealedMemory file = SealedMemory.create(LAYOUT.deviceBytes());
        HostCopier copier =
            new HostCopier(new HostCopySettings(2, 16, new ByteSize(SLICE_BYTES), 8), context)) {
      MemorySegment host = arena.allocate(PAGES * SLOT.runBytes(), SlotLayout.RUN_ALIGNMENT);
      copier.registerHostMemory(new HostChunk(0, host.address(), PAGES * SLOT.runBytes(), -1));
      int[] round = {0};
      Race.play(() -> new Copied(copier, file, host, ++round[0]));
    }
  }

  /** A page goes to the host; at its report, its bytes are looked at and the memory is closed. */
  private static final class Copied implements Race.Round {
    private final HostCopier copier;
    private final MemorySegment host;
    private final SealedMemory file;
    private final DeviceMemory memory;
    private final int value;
    private final AtomicInteger reports = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final List<Throwable> failures = new ArrayList<>();

    Copied(HostCopier copier, SealedMemory file, MemorySegment host, int value) {
      this.copier = copier;
      this.host = host;
      this.file = file;
      this.value = value;
      this.memory = copier.open(file.descriptor(), LAYOUT);
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(() -> copy(0), () -> copy(1));
    }

    private void copy(int page) {
      MemorySegment source = file.segment().asSlice((long) page * PAGE_BYTES, PAGE_BYTES);
      source.fill((byte) value);
      CopyPlan plan = plan(2L * value + page, memory, Direction.DEVICE_TO_HOST, host, page);
      while (!copier.submit(plan, this::completed)) {
        Thread.onSpinWait();
      }
      while (reports.get() < 2) {
        Thread.onSpinWait();
      }
    }

    private void completed(CopyPlan plan, CopyOutcome outcome) {
      try {
        assertThat(outcome).isEqualTo(new CopyOutcome.Done());
        MemorySegment copied =
            host.asSlice(plan.hostAddress(0) - host.address(), SLOT.payloadBytes());
        for (long at = copied.byteSize() - 1; at >= 0; at -= 64) {
          if (copied.get(ValueLayout.JAVA_BYTE, at) != (byte) value) {
            throw new AssertionError("byte [" + at + "] is older than the report");
          }
        }
        // The later of the two closes it, which fails while a plan is counted.
        if (closed.incrementAndGet() == 2) {
          memory.close();
        }
      } catch (Throwable failed) {
        synchronized (failures) {
          failures.add(failed);
        }
      }
      reports.incrementAndGet();
    }

    @Override
    public void check() {
      synchronized (failures) {
        if (!failures.isEmpty()) {
          throw new AssertionError("a report came too early", failures.getFirst());
        }
      }
      assertThat(reports).hasValue(2);
    }
  }
}
