package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The copiers as the dispatcher uses them: which one opens a kind of memory, which one opened a
 * memory, and the plans that a full copier did not take yet. Dispatcher only, but for {@link #all}.
 *
 * <p>A plan is known from its command until its report, so the number of reports that can be on
 * their way is limited by the number of plans, and a report that belongs to no plan is noticed.
 */
public final class Copiers {
  private final List<DeviceCopier> all;
  private final IdentityHashMap<DeviceCopier, ArrayDeque<CopyPlan>> waiting =
      new IdentityHashMap<>();
  private final Map<Long, DeviceCopier> ofRegistration = new HashMap<>();
  private final IdentityHashMap<DeviceMemory, DeviceCopier> ofMemory = new IdentityHashMap<>();
  private final Map<Long, Started> outstanding = new HashMap<>();

  /**
   * A plan that was handed over.
   *
   * @param nanos when
   */
  record Started(DeviceCopier copier, CopyPlan.Direction direction, long bytes, long nanos) {}

  /**
   * @param copiers in the order of the configuration; the first that opens a kind is used for it
   */
  public Copiers(List<DeviceCopier> copiers) {
    this.all = List.copyOf(copiers);
    for (DeviceCopier copier : all) {
      waiting.put(copier, new ArrayDeque<>());
    }
  }

  /** Any thread. All copiers, in the order of the configuration. */
  public List<DeviceCopier> all() {
    return all;
  }

  /** The copier that opens memory of {@code kind}. */
  @Nullable DeviceCopier forKind(String kind) {
    for (DeviceCopier copier : all) {
      if (copier.memoryKind().equals(kind)) {
        return copier;
      }
    }
    return null;
  }

  /** The kinds of memory that can be opened, for messages. */
  List<String> kinds() {
    List<String> kinds = new ArrayList<>();
    for (DeviceCopier copier : all) {
      kinds.add(copier.memoryKind());
    }
    return kinds;
  }

  void opening(long registration, DeviceCopier copier) {
    ofRegistration.put(registration, copier);
  }

  void opened(long registration, DeviceMemory memory) {
    DeviceCopier copier = ofRegistration.remove(registration);
    if (copier == null) {
      throw new IllegalStateException(
          "registration [" + registration + "] was opened twice or never asked for");
    }
    ofMemory.put(memory, copier);
  }

  void failedToOpen(long registration) {
    ofRegistration.remove(registration);
  }

  void closing(DeviceMemory memory) {
    ofMemory.remove(memory);
  }

  /** Hands a plan to its copier, now or as soon as that takes plans again. */
  void submit(CopyPlan plan, long nowNanos, DeviceCopier.CopyListener report) {
    DeviceCopier copier = ofMemory.get(plan.memory());
    if (copier == null) {
      throw new IllegalStateException(
          "plan [" + plan.id() + "] names a device memory that is not open");
    }
    Started started = new Started(copier, plan.direction(), plan.bytes(), nowNanos);
    if (outstanding.putIfAbsent(plan.id(), started) != null) {
      throw new IllegalStateException("plan [" + plan.id() + "] was submitted twice");
    }
    ArrayDeque<CopyPlan> line = lineOf(copier);
    if (!line.isEmpty() || !copier.submit(plan, report)) {
      line.add(plan);
    }
  }

  /** Offers again what was not taken, in order. */
  void retry(DeviceCopier.CopyListener report) {
    for (DeviceCopier copier : all) {
      ArrayDeque<CopyPlan> line = lineOf(copier);
      CopyPlan first = line.peek();
      while (first != null && copier.submit(first, report)) {
        line.remove();
        first = line.peek();
      }
    }
  }

  /** Notes the one report of a plan. */
  Started reported(long plan) {
    Started started = outstanding.remove(plan);
    if (started == null) {
      throw new IllegalStateException(
          "a copier reported plan [" + plan + "], which is not outstanding");
    }
    return started;
  }

  int waitingPlans() {
    int plans = 0;
    for (DeviceCopier copier : all) {
      plans += lineOf(copier).size();
    }
    return plans;
  }

  /** Dispatcher. What each copier has to do, in the order of the configuration. */
  List<CopierFigures> figures() {
    List<CopierFigures> figures = new ArrayList<>();
    for (DeviceCopier copier : all) {
      int plans = 0;
      long bytes = 0;
      for (Started started : outstanding.values()) {
        if (started.copier().equals(copier)) {
          plans++;
          bytes += started.bytes();
        }
      }
      figures.add(new CopierFigures(copier.memoryKind(), plans, bytes, lineOf(copier).size()));
    }
    return figures;
  }

  private ArrayDeque<CopyPlan> lineOf(DeviceCopier copier) {
    ArrayDeque<CopyPlan> line = waiting.get(copier);
    if (line == null) {
      throw new IllegalStateException(
          "copier [" + copier.memoryKind() + "] is not one of the Manager's");
    }
    return line;
  }
}
