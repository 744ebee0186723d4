package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
import io.orbitkv.api.copy.DeviceUnavailableException;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaDevice;
import io.orbitkv.cuda.CudaException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Copies on the copy engines of the GPUs: a lane, so a thread and a stream, for each GPU and
 * direction. The first GPU's context is made at once: host memory is registered in it, for all
 * GPUs. Other contexts, and lanes, are made when the first memory on a GPU is opened.
 */
final class CudaCopier implements DeviceCopier {
  private final Cuda cuda;
  private final CudaCopySettings settings;
  private final PluginContext context;
  private final ProcessEnd processEnd;
  private final List<CudaDevice> devices;
  private final HostRanges ranges = new HostRanges();
  private final Map<String, Gpu> gpus = new LinkedHashMap<>();
  private final Map<Gpu, Lanes> lanes = new LinkedHashMap<>();
  private final AtomicInteger plansInside = new AtomicInteger();
  private final AtomicLong mappedBytes = new AtomicLong();
  private final LongSupplier nanoClock;
  private final Meters.Counter publishBytes;
  private final Meters.Counter restoreBytes;
  private final Meters.Counter plans;
  private final Meters.Counter failedPlans;
  private final Meters.Timer duration;

  /**
   * Boot thread.
   *
   * @throws DeviceUnavailableException when there is no GPU, or none that can be used
   */
  CudaCopier(Cuda cuda, CudaCopySettings settings, PluginContext context, ProcessEnd processEnd) {
    this.cuda = cuda;
    this.settings = settings;
    this.context = context;
    this.processEnd = processEnd;
    devices = cuda.devices();
    if (devices.isEmpty()) {
      throw new DeviceUnavailableException(
          "the copier [cuda-copy] is not available: the CUDA driver sees no GPU; check nvidia-smi"
              + " and CUDA_VISIBLE_DEVICES");
    }
    try {
      // Made now, which takes a third of a second, so that the first chunk does not wait for it.
      gpus.put(devices.getFirst().uuid(), new Gpu(cuda, devices.getFirst()));
    } catch (CudaException refused) {
      throw new DeviceUnavailableException(
          "the copier [cuda-copy] is not available: GPU ["
              + devices.getFirst().uuid()
              + "] gives no context: "
              + refused.getMessage()
              + "; see in nvidia-smi whether its memory is used up, whether its compute mode admits"
              + " several processes, and whether it is healthy",
          refused);
    }
    nanoClock = context.nanoClock();
    Meters meters = context.meters();
    publishBytes = meters.counter("publish_bytes_total", "Bytes copied from GPUs to the host");
    restoreBytes = meters.counter("restore_bytes_total", "Bytes copied from the host to GPUs");
    plans = meters.counter("plans_total", "Plans reported");
    failedPlans = meters.counter("failed_plans_total", "Plans reported as failed or unknown");
    duration = meters.timer("plan_duration", "Time from a plan's acceptance to its report");
    meters.gauge("queued_plans", "Plans accepted and not reported", plansInside::get);
    meters.gauge("mapped_bytes", "Bytes of workers' GPU memory that are mapped", mappedBytes::get);
    meters.gauge("registered_bytes", "Bytes of host memory that are registered", ranges::bytes);
    context.log().log(
        Level.INFO,
        "CUDA driver {0}, {1}: {2}",
        version(cuda.driverVersion()),
        cuda.hasBatchCopies() ? "batched copies" : "no batched copies (it is older than 12.8)",
        devices.stream()
            .map(device -> device.name() + " " + device.uuid())
            .collect(Collectors.joining(", ")));
  }

  private static String version(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  @Override
  public String memoryKind() {
    return CudaIpc.KIND;
  }

  @Override
  public void registerHostMemory(HostChunk chunk) {
    try {
      Gpu gpu = gpu(devices.getFirst());
      gpu.makeCurrent();
      cuda.registerHost(chunk.address(), chunk.bytes());
    } catch (CudaException refused) {
      throw new IllegalStateException(
          "chunk ["
              + chunk.index()
              + "] of ["
              + chunk.bytes()
              + "] bytes cannot be pinned: "
              + refused.getMessage()
              + "; raise the limit on locked memory (ulimit -l), or lower memory.pool-size",
          refused);
    }
    ranges.add(chunk);
  }

  @Override
  public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    if (!(descriptor instanceof CudaIpc memory)) {
      throw new IllegalArgumentException(
          "the copier [cuda-copy] opens memory of kind ["
              + CudaIpc.KIND
              + "], not ["
              + descriptor.kind()
              + "]: name another copier under [copiers]");
    }
    CudaDevice device =
        devices.stream()
            .filter(candidate -> candidate.uuid().equalsIgnoreCase(memory.gpuUuid()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(unknown(memory.gpuUuid())));
    CudaMemory opened;
    try {
      Gpu gpu = gpu(device);
      opened = CudaMemory.open(this, gpu, lanes(gpu), memory, layout, settings);
    } catch (CudaException refused) {
      throw new IllegalStateException(
          "GPU [" + device.uuid() + "] cannot be used: " + refused.getMessage(), refused);
    }
    mappedBytes.addAndGet(opened.bytes());
    return opened;
  }

  private String unknown(String uuid) {
    return "GPU ["
        + uuid
        + "] is not one that the Manager sees: "
        + devices.stream().map(CudaDevice::uuid).collect(Collectors.joining(", "))
        + "; start the Manager with the same CUDA_VISIBLE_DEVICES, or without it";
  }

  /** Registration and device thread. */
  private synchronized Gpu gpu(CudaDevice device) {
    Gpu known = gpus.get(device.uuid());
    if (known == null) {
      known = new Gpu(cuda, device);
      gpus.put(device.uuid(), known);
    }
    return known;
  }

  private synchronized Lanes lanes(Gpu gpu) {
    return lanes.computeIfAbsent(
        gpu,
        made -> {
          CopyLane load = lane(made);
          CopyLane save = lane(made);
          return new Lanes(load, save, settings.stageSlots() > 0 ? lane(made) : load);
        });
  }

  private CopyLane lane(Gpu gpu) {
    return new CopyLane(
        gpu,
        ranges,
        settings,
        nanoClock,
        context.threads(),
        this::submitted,
        this::report,
        processEnd);
  }

  void unmapped(long bytes) {
    mappedBytes.addAndGet(-bytes);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException when the memory is not an open one of this copier: a bug of
   *     the caller, since there is nothing that a report could release
   */
  @Override
  public boolean submit(CopyPlan plan, CopyListener listener) {
    if (!(plan.memory() instanceof CudaMemory memory)) {
      throw new IllegalArgumentException(
          "plan [" + plan.id() + "] names a memory that the copier [cuda-copy] did not open");
    }
    if (memory.owner() != this || !memory.plans().add()) {
      throw new IllegalArgumentException(
          "plan [" + plan.id() + "] names a memory that is closed or of another copier");
    }
    if (plan.isStaged() && !(listener instanceof StageListener)) {
      memory.plans().remove();
      throw new IllegalArgumentException(
          "plan [" + plan.id() + "] is staged, but nobody listens to its submission");
    }
    if (plansInside.incrementAndGet() > settings.queuePlans()) {
      plansInside.decrementAndGet();
      memory.plans().remove();
      return false;
    }
    boolean accepted = false;
    try {
      memory.lanes().of(plan).add(new PlanRun(plan, memory, listener, nanoClock.getAsLong()));
      accepted = true;
      return true;
    } finally {
      if (!accepted) {
        plansInside.decrementAndGet();
        memory.plans().remove();
      }
    }
  }

  /**
   * A lane's thread. All of a staged plan is submitted, and an event recorded behind each layer.
   */
  private void submitted(PlanRun run) {
    if (run.listener() instanceof StageListener listener) {
      listener.submitted(run.plan());
    }
  }

  /** A lane's thread. The plan's place is free before anybody hears of its end. */
  private void report(PlanRun run, CopyOutcome outcome) {
    CopyPlan plan = run.plan();
    try {
      plans.add(1);
      switch (outcome) {
        case CopyOutcome.Done _ ->
            (plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST ? publishBytes : restoreBytes)
                .add(plan.bytes());
        case CopyOutcome.Failed _, CopyOutcome.Unknown _ -> failedPlans.add(1);
      }
      duration.record(nanoClock.getAsLong() - run.acceptedNanos());
    } catch (RuntimeException fault) {
      context.log().log(Level.ERROR, "the meters of plan [" + plan.id() + "] threw", fault);
    }
    plansInside.decrementAndGet();
    if (!(outcome instanceof CopyOutcome.Unknown)) {
      // Otherwise the mapping stays: the GPU may still use it.
      run.memory().plans().remove();
    }
    try {
      run.listener().completed(plan, outcome);
    } catch (RuntimeException fault) {
      context.log().log(Level.ERROR, "the listener of plan [" + plan.id() + "] threw", fault);
    }
  }

  @Override
  public void close() {
    List<Lanes> all;
    List<Gpu> opened;
    synchronized (this) {
      all = new ArrayList<>(lanes.values());
      opened = new ArrayList<>(gpus.values());
    }
    for (Lanes pair : all) {
      pair.load().close();
      pair.save().close();
      pair.stage().close();
    }
    if (opened.isEmpty()) {
      return;
    }
    opened.getFirst().makeCurrent();
    for (HostChunk chunk : ranges.chunks()) {
      try {
        cuda.unregisterHost(chunk.address());
      } catch (CudaException failed) {
        context.log().log(
            Level.WARNING, "chunk [" + chunk.index() + "] stays pinned until the end", failed);
      }
    }
    opened.forEach(Gpu::close);
  }
}
