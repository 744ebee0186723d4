package io.orbitkv.ssd.device;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/** Starts the engine of a device. */
public final class Devices {
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
    EngineChoice choice =
        switch (settings.engine()) {
          case THREADS -> new EngineChoice(ThreadsDevice.NAME, false, "asked for", false, "");
          case AUTO, IO_URING ->
              new EngineChoice(ThreadsDevice.NAME, true, "io_uring is not built in", false, "");
        };
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
