package io.orbitkv.ssd.device;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Starts the engine of a device. */
public final class Devices {
  /** Reason for an engine that was chosen. */
  static final String PROBE_WORKED = "its probe on the file worked";

  private Devices() {}

  /** No block of the device may be written by the probe. */
  public static final long NO_PROBE_BLOCK = -1;

  /**
   * What an engine is given.
   *
   * @param probeOffset a block that nothing else uses meanwhile: it is read and written back as it
   *     was; {@link #NO_PROBE_BLOCK} to read block 0 only
   * @param buffers memory that transfers will use, for fixed buffers: arenas and scratch blocks
   * @param threads makes the engine's platform threads
   * @param nanoClock monotonic
   * @param log for what must not happen
   */
  public record Environment(
      long probeOffset,
      List<Span> buffers,
      ThreadFactory threads,
      LongSupplier nanoClock,
      System.Logger log) {
    /** Copies the buffers. */
    public Environment {
      buffers = List.copyOf(buffers);
    }
  }

  /**
   * A running engine.
   *
   * @param device owned by the caller, who closes it before the file
   * @param choice which engine it is and why
   */
  public record Started(StoreDevice device, EngineChoice choice) {}

  /**
   * Boot thread. Probes and starts an engine.
   *
   * @param file stays the caller's
   * @param completions heard on the engine's threads
   * @throws IOException when the engine that was asked for does not work, or none does; with the
   *     remedy
   */
  public static Started start(
      DeviceFile file,
      DeviceSettings settings,
      Environment environment,
      StoreDevice.Completions completions)
      throws IOException {
    DeviceProbe.blocking(file, environment.probeOffset());
    if (settings.engine() == DeviceSettings.Engine.THREADS) {
      return threads(
          file,
          settings,
          environment,
          completions,
          new EngineChoice(ThreadsDevice.NAME, false, "asked for", false, ""));
    }
    Optional<String> refusal = DeviceProbe.rings(file, environment.probeOffset());
    if (refusal.isEmpty()) {
      try {
        return rings(file, settings, environment, completions);
      } catch (IOException refused) {
        // The probe's ring worked, those with their memory do not.
        refusal = Optional.of(String.valueOf(refused.getMessage()));
      }
    }
    if (settings.engine() == DeviceSettings.Engine.IO_URING) {
      throw new IOException(
          "the engine [io-uring] does not work on ["
              + file.path()
              + "]: "
              + refusal.get()
              + "; or let the engine be chosen with [engine: auto]");
    }
    return threads(
        file,
        settings,
        environment,
        completions,
        new EngineChoice(ThreadsDevice.NAME, true, refusal.get(), false, ""));
  }

  private static Started rings(
      DeviceFile file,
      DeviceSettings settings,
      Environment environment,
      StoreDevice.Completions completions)
      throws IOException {
    boolean fixed =
        switch (settings.fixedBuffers()) {
          case AUTO, ON -> true;
          case OFF -> false;
        };
    List<Span> buffers = fixed ? environment.buffers() : List.of();
    Consumer<String> warn =
        refusal -> environment.log().log(Level.WARNING, "[{0}]: {1}", file.path(), refusal);
    UringDevice device =
        UringDevice.start(
            file,
            settings,
            lane -> NativeRing.create(file.descriptor(), buffers, warn),
            environment,
            completions);
    String reason =
        settings.engine() == DeviceSettings.Engine.IO_URING ? "asked for" : PROBE_WORKED;
    return new Started(
        device,
        new EngineChoice(UringDevice.NAME, false, reason, device.fixedBuffers(), device.notes()));
  }

  private static Started threads(
      DeviceFile file,
      DeviceSettings settings,
      Environment environment,
      StoreDevice.Completions completions,
      EngineChoice choice) {
    return new Started(
        new ThreadsDevice(
            file,
            file.positional(),
            settings,
            environment.threads(),
            environment.nanoClock(),
            completions,
            environment.log()),
        choice);
  }
}
