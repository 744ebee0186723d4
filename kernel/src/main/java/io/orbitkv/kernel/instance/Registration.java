package io.orbitkv.kernel.instance;

import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One worker of an instance generation and its device memory. */
public final class Registration {
  /** No client waits for the memory to be closed. */
  public static final long NOBODY = 0;

  private final long id;
  private final long session;
  private final long operation;
  private final Instance instance;
  private final WorkerLayout layout;
  private final List<SlotLayout> slots;
  private final boolean wantsStages;
  private State state = State.OPENING;
  private StageSlots stageSlots = new StageSlots(0);
  private @Nullable DeviceMemory memory;
  private int plans;
  private boolean outcomeUnknown;
  private long unregisterOperation = NOBODY;

  /**
   * A worker whose device memory is being opened.
   *
   * @param wantsStages whether it can wait for events of staged restores
   */
  public Registration(
      long id,
      long session,
      long operation,
      Instance instance,
      WorkerLayout layout,
      boolean wantsStages) {
    this.id = id;
    this.session = session;
    this.operation = operation;
    this.instance = instance;
    this.layout = layout;
    this.slots = layout.slots();
    this.wantsStages = wantsStages;
  }

  /** The life of a device memory. */
  public enum State {
    /** The Manager opens it. */
    OPENING,
    /** Plans may name it. */
    OPEN,
    /** No plan is left; the Manager closes it. */
    CLOSING,
    /** Gone. */
    CLOSED,
    /** Hardware may still touch it: it stays open until the process ends. */
    STUCK
  }

  /** Number of the registration. */
  public long id() {
    return id;
  }

  /** The worker's session. */
  public long session() {
    return session;
  }

  /** The operation that registered. */
  public long operation() {
    return operation;
  }

  /** The generation. */
  public Instance instance() {
    return instance;
  }

  /** What was registered. */
  public WorkerLayout layout() {
    return layout;
  }

  /** The rank. */
  public int rank() {
    return layout.rank();
  }

  /** The slot of a group. */
  public SlotLayout slot(int group) {
    return slots.get(group);
  }

  /** Where the device memory stands. */
  public State state() {
    return state;
  }

  /** Whether nothing is left to do for the device memory. */
  public boolean ended() {
    return state == State.CLOSED || state == State.STUCK;
  }

  /** The device memory is open. */
  public void opened(DeviceMemory opened) {
    memory = opened;
    state = State.OPEN;
    stageSlots = new StageSlots(stageEvents().size());
  }

  /** Moves on. */
  public void become(State next) {
    state = next;
  }

  /** The open memory. */
  public DeviceMemory memory() {
    if (memory == null) {
      throw new IllegalStateException("registration [" + id + "] has no open device memory");
    }
    return memory;
  }

  /** The slots of its staged restores. */
  public StageSlots stageSlots() {
    return stageSlots;
  }

  /** For each of these slots the handles of the events; empty when restores are not staged. */
  public List<List<String>> stageEvents() {
    // A restore of several groups is several plans, whose layers do not come in one order.
    return wantsStages && slots.size() == 1 && memory instanceof StagedMemory staged
        ? staged.stageEvents()
        : List.of();
  }

  /** A slot for a restore of some payload bytes, or {@link StageSlots#NONE}. */
  public int takeStageSlot(long restore, long bytes) {
    return memory instanceof StagedMemory staged && bytes <= staged.maxStagedBytes()
        ? stageSlots.take(restore)
        : StageSlots.NONE;
  }

  /** A plan on the memory was submitted. */
  public void planStarted() {
    plans++;
  }

  /** A plan on the memory reported. */
  public void planEnded() {
    plans--;
  }

  /** Plans that did not report yet. */
  public int plans() {
    return plans;
  }

  /** A plan ended with an unknown outcome: the memory can never be closed. */
  public void outcomeUnknown() {
    outcomeUnknown = true;
  }

  /** Whether a plan ended with an unknown outcome. */
  public boolean hasUnknownOutcome() {
    return outcomeUnknown;
  }

  /** The control request that waits for the close, or {@link #NOBODY}. */
  public long unregisterOperation() {
    return unregisterOperation;
  }

  /** A control request waits for the close. */
  public void unregister(long waiting) {
    unregisterOperation = waiting;
  }
}
