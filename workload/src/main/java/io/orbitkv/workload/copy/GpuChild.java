package io.orbitkv.workload.copy;

import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaDevice;
import io.orbitkv.cuda.CudaDriver;
import io.orbitkv.cuda.CudaUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The process that owns the GPU memory, as an engine does: it tells GPU, handle and size in one
 * line, answers {@code crc OFFSET BYTES} with the checksum of what lies there as this process sees
 * it, and ends when its input does.
 */
public final class GpuChild {
  private GpuChild() {}

  /**
   * Runs to the end of the input.
   *
   * @param gpu place among the driver's devices
   * @param bytes to allocate
   */
  public static void run(int gpu, long bytes, InputStream input, PrintWriter output)
      throws IOException, CudaUnavailableException {
    Cuda cuda = CudaDriver.load();
    CudaDevice device = deviceOf(cuda, gpu);
    cuda.makeCurrent(cuda.retainContext(device.ordinal()));
    long address = cuda.allocate(bytes);
    long stream = cuda.createStream();
    cuda.fill(address, (byte) 0x5A, bytes, stream);
    cuda.synchronizeStream(stream);
    say(
        output,
        device.uuid() + " " + HexFormat.of().formatHex(cuda.exportMemory(address)) + " " + bytes);
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      say(
          output,
          Long.toHexString(
              checksum(
                  cuda,
                  stream,
                  address + Long.parseLong(words.get(1)),
                  Integer.parseInt(words.get(2)))));
    }
    cuda.free(address);
    cuda.releaseContext(device.ordinal());
  }

  /**
   * The device at a place.
   *
   * @throws IllegalArgumentException when there is none
   */
  static CudaDevice deviceOf(Cuda cuda, int gpu) {
    List<CudaDevice> devices = cuda.devices();
    if (gpu < 0 || gpu >= devices.size()) {
      throw new IllegalArgumentException(
          "GPU [" + gpu + "] is not there: the driver sees " + devices.size());
    }
    return devices.get(gpu);
  }

  private static long checksum(Cuda cuda, long stream, long address, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(bytes, 4096);
      CopyBatch batch = new CopyBatch(arena, 1);
      batch.add(host.address(), address, bytes);
      cuda.copy(batch, stream);
      cuda.synchronizeStream(stream);
      CRC32C crc = new CRC32C();
      crc.update(host.asByteBuffer());
      return crc.getValue();
    }
  }

  private static void say(PrintWriter output, String line) {
    output.println(line);
    output.flush();
  }
}
