package io.orbitkv.ssd.device;

/** A transfer that has not completed: what of it was handed out, and what came back. */
final class PendingTransfer {
  private final Transfer transfer;
  private final long arrivalNanos;
  private int span;
  private long spanUsedBytes;
  private long issuedBytes;
  private int outstanding;
  private int error;

  PendingTransfer(Transfer transfer, long arrivalNanos) {
    this.transfer = transfer;
    this.arrivalNanos = arrivalNanos;
  }

  Transfer transfer() {
    return transfer;
  }

  long arrivalNanos() {
    return arrivalNanos;
  }

  /** Device offset of the first byte that was not handed out. */
  long nextOffset() {
    return transfer.offset() + issuedBytes;
  }

  boolean fullyIssued() {
    return issuedBytes == transfer.bytes();
  }

  /** Moves bytes into a request, at most as many as given; ends early at a limit of pieces. */
  void issueTo(Request request, long mostBytes, int mostVectors) {
    long taken = 0;
    while (taken < mostBytes && !fullyIssued() && request.vectors() < mostVectors) {
      Span current = transfer.spans().get(span);
      long piece = Math.min(mostBytes - taken, current.bytes() - spanUsedBytes);
      request.addMemory(current.address() + spanUsedBytes, piece);
      taken += piece;
      issuedBytes += piece;
      spanUsedBytes += piece;
      if (spanUsedBytes == current.bytes()) {
        span++;
        spanUsedBytes = 0;
      }
    }
    addOutstanding();
    request.addPart(this, taken);
  }

  void addOutstanding() {
    outstanding++;
  }

  /** One part came back; the first error stays, except that an unknown outcome outweighs all. */
  void partEnded(int partError) {
    outstanding--;
    if (partError != 0 && (error == 0 || partError == StoreDevice.UNKNOWN)) {
      error = partError;
    }
  }

  /** Nothing of it is handed out or will be. */
  boolean ended() {
    return outstanding == 0 && (fullyIssued() || error != 0);
  }

  boolean anyOutstanding() {
    return outstanding > 0;
  }

  int error() {
    return error;
  }
}
