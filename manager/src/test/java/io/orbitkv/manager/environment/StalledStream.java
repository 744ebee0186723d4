package io.orbitkv.manager.environment;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** A pipe that nobody reads until a test lets it flow. */
final class StalledStream extends OutputStream {
  private final CountDownLatch stalled = new CountDownLatch(1);
  private final CountDownLatch flows = new CountDownLatch(1);
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  PrintStream print() {
    return new PrintStream(this, true, StandardCharsets.UTF_8);
  }

  void release() {
    flows.countDown();
  }

  void awaitStall() throws InterruptedException {
    stalled.await();
  }

  String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void write(int octet) {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] octets, int from, int length) {
    stalled.countDown();
    // A write to a pipe hears of no interrupt either.
    boolean interrupted = false;
    while (flows.getCount() > 0) {
      try {
        flows.await();
      } catch (InterruptedException unheard) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    bytes.write(octets, from, length);
  }
}
