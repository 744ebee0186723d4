package io.orbitkv.manager.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.fixture.SessionsUnderTest;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReplyWriterTest {
  // More than a socket holds, less than a frame.
  private static final int LARGE_BYTES = 512 << 10;

  @TempDir private Path folder;

  @Test
  void largeRepliesOfAClientThatDoesNotRead_areFewInTheHeap() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
      try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          SocketChannel manager = listener.accept()) {
        ReplyWriter replies = new ReplyWriter(manager, SessionsUnderTest.settings(4, 64));
        Thread writer = Thread.ofPlatform().start(replies::run);
        // The writer takes it and cannot send it: from now on the reader's replies are queued.
        assertThat(replies.offer(large(1))).isTrue();
        while (replies.waiting() > 0) {
          Thread.onSpinWait();
        }
        Thread reader = Thread.ofPlatform().start(() -> sendLarge(replies, 40));
        while (reader.isAlive() && !(LockSupport.getBlocker(reader) instanceof Mailbox)) {
          Thread.onSpinWait();
        }

        assertThat(replies.waiting()).isLessThanOrEqualTo(8);
        assertThat(replies.offer(new ServerMessage.Done(99, 0)))
            .as("what is small is not refused for the bytes of others")
            .isTrue();
        replies.abandon();
        client.shutdownInput();
        reader.join();
        writer.join();
      }
    }
  }

  private static ServerMessage.Echo large(int operation) {
    return new ServerMessage.Echo(operation, new byte[LARGE_BYTES]);
  }

  private static void sendLarge(ReplyWriter replies, int count) {
    try {
      for (int operation = 2; operation < count; operation++) {
        replies.sendFromReader(large(operation));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
