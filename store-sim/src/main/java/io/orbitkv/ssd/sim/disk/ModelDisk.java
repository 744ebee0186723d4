package io.orbitkv.ssd.sim.disk;

import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A device with a volatile cache. Reads see every completed write; a flush makes durable what had
 * completed before it was submitted; a loss of power leaves any of the other sectors, of 512 bytes,
 * in any mixture; the death of the process leaves all that had completed, and any sectors of what
 * was under way.
 *
 * <p>It moves bytes when it is told to, with the outcome that it is told: time, order and chance
 * are those of its caller.
 */
public final class ModelDisk {
  /** What is written whole or not at all. */
  public static final int SECTOR_BYTES = 512;

  private final int blockBytes;
  private final Consumer<Fault> injected;
  private byte[] stable;
  private byte[] current;
  private final List<Written> cached = new ArrayList<>();
  private final List<Flight> flights = new ArrayList<>();
  private long clock;

  /** A write that was completed and that no flush has covered. */
  private record Written(long order, int offset, byte[] bytes) {}

  /** Where a crash cuts the write that it interrupts. */
  public record Tear(Flight flight, int fromByte, int toByte) {}

  /** Full of zeros. */
  public ModelDisk(int bytes, int blockBytes, Consumer<Fault> injected) {
    this.blockBytes = blockBytes;
    this.injected = injected;
    stable = new byte[bytes];
    current = new byte[bytes];
  }

  /** The same bytes, durable and not, for a look into what would happen. Nothing is under way. */
  public ModelDisk copy() {
    ModelDisk copy = new ModelDisk(0, blockBytes, _ -> {});
    copy.stable = stable.clone();
    copy.current = current.clone();
    copy.cached.addAll(cached);
    copy.clock = clock;
    return copy;
  }

  /** Its size. */
  public int size() {
    return current.length;
  }

  /** Unit of offsets and lengths. */
  public int blockBytes() {
    return blockBytes;
  }

  /** What is under way. */
  public List<Flight> flights() {
    return flights;
  }

  /** Bytes as a read sees them now. */
  public byte[] peek(long offset, int bytes) {
    return Arrays.copyOfRange(current, (int) offset, (int) offset + bytes);
  }

  /** Whether a write into this range has completed or is under way and is not durable yet. */
  public boolean volatileIn(long from, long to) {
    return cached.stream().anyMatch(w -> w.offset < to && from < w.offset + w.bytes.length)
        || flights.stream()
            .anyMatch(flight ->
                flight.writes()
                    && flight.transfer.offset() < to
                    && from < flight.transfer.offset() + flight.transfer.bytes());
  }

  // ---- transfers -------------------------------------------------------------------------------

  /** Takes over a transfer; its buffers are the device's until it is finished. */
  public Flight submit(Transfer transfer) {
    fits(transfer);
    byte[] bytes =
        transfer.kind() == Transfer.Kind.WRITE
            ? NativeBytes.gather(transfer.spans(), transfer.bytes())
            : new byte[0];
    Flight flight = new Flight(transfer, ++clock, bytes, clock);
    for (Flight other : flights) {
      boolean clash = (flight.writes() && other.reads()) || (flight.reads() && other.writes());
      if (clash && flight.overlaps(other)) {
        throw new InvariantViolation(
            Invariant.NO_OVERWRITE_UNDER_READERS,
            "bytes at [" + transfer.offset() + "] are read and written at the same time");
      }
    }
    flights.add(flight);
    return flight;
  }

  private void fits(Transfer transfer) {
    boolean sync = transfer.kind() == Transfer.Kind.SYNC;
    boolean fits = sync == transfer.spans().isEmpty();
    for (Span span : transfer.spans()) {
      fits &=
          span.bytes() > 0 && span.bytes() % blockBytes == 0 && span.address() % blockBytes == 0;
    }
    fits &= fits(transfer.offset(), transfer.bytes());
    if (!fits) {
      throw new InvariantViolation(
          Invariant.TRANSFER_FITS,
          transfer.kind()
              + " of ["
              + transfer.bytes()
              + "] bytes at ["
              + transfer.offset()
              + "] in ["
              + transfer.spans().size()
              + "] spans does not fit a device of ["
              + size()
              + "] bytes in blocks of ["
              + blockBytes
              + "]");
    }
  }

  private boolean fits(long offset, long bytes) {
    return offset >= 0
        && offset % blockBytes == 0
        && bytes % blockBytes == 0
        && offset + bytes <= size();
  }

  /** Ends a transfer as it should. */
  public void finish(Flight flight) {
    flights.remove(flight);
    switch (flight.transfer.kind()) {
      case READ, SPECULATIVE_READ -> fill(flight, (int) flight.transfer.bytes());
      case WRITE -> {
        unchanged(flight);
        store((int) flight.transfer.offset(), flight.bytes);
      }
      case SYNC -> flush(flight.covers);
    }
  }

  /** Ends a read early, with this many bytes moved. */
  public void finishShort(Flight flight, int bytes) {
    flights.remove(flight);
    fill(flight, bytes);
  }

  /** Ends a transfer that failed: of a write, any sectors were written; a flush did nothing. */
  public void fail(Flight flight, Chance chance) {
    flights.remove(flight);
    if (flight.writes()) {
      storeSome(flight, chance.below(101), chance);
    }
  }

  /** Ends a write or a flush that did nothing, and says nothing about it. */
  public void lose(Flight flight) {
    flights.remove(flight);
  }

  /** Ends a write that landed elsewhere. */
  public void misdirect(Flight flight, int offset) {
    flights.remove(flight);
    store(offset, flight.bytes);
  }

  private void fill(Flight flight, int bytes) {
    NativeBytes.scatter(flight.transfer.spans(), peek(flight.transfer.offset(), bytes), bytes);
  }

  private static void unchanged(Flight flight) {
    byte[] now = NativeBytes.gather(flight.transfer.spans(), flight.transfer.bytes());
    if (!Arrays.equals(now, flight.bytes)) {
      throw new InvariantViolation(
          Invariant.BUFFERS_OWNED,
          "memory of the write at [" + flight.transfer.offset() + "] changed under the device");
    }
  }

  private void store(int offset, byte[] bytes) {
    System.arraycopy(bytes, 0, current, offset, bytes.length);
    cached.add(new Written(++clock, offset, bytes));
  }

  private void flush(long covers) {
    for (Written written : cached) {
      if (written.order <= covers) {
        System.arraycopy(written.bytes, 0, stable, written.offset, written.bytes.length);
      }
    }
    cached.removeIf(written -> written.order <= covers);
  }

  // ---- blocking --------------------------------------------------------------------------------

  /** Reads at once. */
  public void read(long offset, long address, long bytes) {
    fitsBlocking("read", offset, address, bytes);
    NativeBytes.put(address, current, (int) offset, (int) bytes);
  }

  /** A write, as if it were under way: {@link #finish} makes it happen. */
  public Flight begin(long offset, long address, long bytes) {
    fitsBlocking("write", offset, address, bytes);
    return submit(new Transfer(Transfer.Kind.WRITE, offset, List.of(new Span(address, bytes))));
  }

  private void fitsBlocking(String what, long offset, long address, long bytes) {
    if (!fits(offset, bytes) || bytes <= 0 || address % blockBytes != 0) {
      throw new InvariantViolation(
          Invariant.TRANSFER_FITS,
          "a blocking " + what + " of [" + bytes + "] bytes at [" + offset + "] does not fit");
    }
  }

  /** Flushes at once. */
  public void sync() {
    flush(clock);
  }

  // ---- damage ----------------------------------------------------------------------------------

  /** Changes one bit of the medium. */
  public void flip(int offset, int bit) {
    current[offset] ^= (byte) (1 << bit);
    stable[offset] ^= (byte) (1 << bit);
  }

  /** The process dies: what had completed stays, of the rest any sectors do. */
  public void kill(Survival survival, @Nullable Tear tear, Chance chance) {
    List<Written> begun = underWay(chance);
    flights.clear();
    for (Written piece : surviving(begun, survival, tear, chance)) {
      store(piece.offset, piece.bytes);
    }
  }

  /** The power goes: any sectors stay of what was not durable. */
  public void losePower(Survival survival, @Nullable Tear tear, Chance chance) {
    List<Written> begun = new ArrayList<>(cached);
    begun.addAll(underWay(chance));
    flights.clear();
    cached.clear();
    for (Written piece : surviving(begun, survival, tear, chance)) {
      System.arraycopy(piece.bytes, 0, stable, piece.offset, piece.bytes.length);
    }
    current = stable.clone();
  }

  /** In any order: the device may have begun with the last one. */
  private List<Written> underWay(Chance chance) {
    List<Written> begun = new ArrayList<>();
    for (Flight flight : flights) {
      if (flight.writes()) {
        begun.add(
            chance.below(begun.size() + 1),
            new Written(flight.order, (int) flight.transfer.offset(), flight.bytes));
      }
    }
    return begun;
  }

  private List<Written> surviving(
      List<Written> begun, Survival survival, @Nullable Tear tear, Chance chance) {
    List<Written> pieces = new ArrayList<>();
    int count = begun.size();
    int cut = count == 0 ? 0 : chance.below(count + 1);
    int share = chance.pick(new Integer[] {20, 50, 80, 95});
    boolean lost = false;
    for (int i = 0; i < count; i++) {
      Written write = begun.get(i);
      int before = pieces.size();
      if (tear != null && write.order == tear.flight().order) {
        keep(write, tear.fromByte(), tear.toByte(), pieces);
      } else {
        switch (survival) {
          case NONE -> {}
          case ALL -> pieces.add(write);
          case SOME_WRITES -> {
            if (chance.percent(share)) {
              pieces.add(write);
            }
          }
          case SOME_SECTORS -> tear(write, share, chance, pieces);
          case ONE_TORN, OLDEST -> {
            if (i == cut) {
              tear(write, 50, chance, pieces);
            } else if (survival == Survival.ONE_TORN || i < cut) {
              pieces.add(write);
            }
          }
          case NEWEST -> {
            if (i >= cut) {
              pieces.add(write);
            }
          }
        }
      }
      boolean gone = pieces.size() == before;
      if (gone) {
        injected.accept(Fault.UNFLUSHED_LOST);
      } else if (lost) {
        injected.accept(Fault.REORDERED);
      }
      lost |= gone;
    }
    return pieces;
  }

  private void storeSome(Flight flight, int share, Chance chance) {
    List<Written> pieces = new ArrayList<>();
    Written write = new Written(flight.order, (int) flight.transfer.offset(), flight.bytes);
    tear(write, share, chance, pieces);
    for (Written piece : pieces) {
      store(piece.offset, piece.bytes);
    }
  }

  private void tear(Written write, int share, Chance chance, List<Written> pieces) {
    int sectors = write.bytes.length / SECTOR_BYTES;
    int from = 0;
    int kept = 0;
    for (int i = 0; i <= sectors; i++) {
      boolean keep = i < sectors && chance.percent(share);
      kept += keep ? 1 : 0;
      if (!keep) {
        keep(write, from * SECTOR_BYTES, i * SECTOR_BYTES, pieces);
        from = i + 1;
      }
    }
    if (kept > 0 && kept < sectors) {
      injected.accept(Fault.TORN_WRITE);
    }
  }

  private static void keep(Written write, int from, int to, List<Written> pieces) {
    int end = Math.min(to, write.bytes.length);
    if (from < end) {
      pieces.add(
          new Written(
              write.order, write.offset + from, Arrays.copyOfRange(write.bytes, from, end)));
    }
  }
}
