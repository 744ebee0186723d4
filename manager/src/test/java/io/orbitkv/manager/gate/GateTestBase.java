package io.orbitkv.manager.gate;

import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gates that share a Manager. Each uses pages of its own, and leaves the Manager with nothing under
 * way and nothing held; in the end it finishes cleanly, with every invariant of the kernel checked.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class GateTestBase {
  static final int PAGES = 4;
  static final long BYTES = (long) PAGES * GateEngine.PAGE_BYTES;

  GateManager manager;
  OrbitKvClient administrator;
  private int lastKey;

  /** Settings of the section {@code query}. */
  abstract String[] querySettings();

  /** What is behind host memory. */
  GateManager.Store store() {
    return GateManager.Store.MEMORY;
  }

  @BeforeAll
  void start(@TempDir Path home) throws IOException, InterruptedException {
    manager = GateManager.start(home, store(), querySettings());
    administrator =
        OrbitKvClient.connect(manager.socket(), ClientOptions.defaults("administrator"));
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    manager.disarm();
    Picture left =
        Picture.await(
            administrator,
            "the end of everything",
            now -> now.idle() && now.get("sessions") == 1 && now.get("instances") == 0);
    assertNothingLeaked(left);
  }

  @AfterAll
  void end() throws IOException, InterruptedException {
    try (GateManager ending = manager) {
      administrator.close();
      ending.endCleanly();
    }
  }

  static void assertNothingLeaked(Picture picture) {
    if (picture.get("leaked_bytes") != 0 || picture.get("quarantined_bytes") != 0) {
      throw new AssertionError("leaked or quarantined: " + picture);
    }
  }

  /** The first of some page keys that no other gate uses. */
  int newKeys() {
    lastKey += 1000;
    return lastKey;
  }

  Picture picture() {
    return Picture.of(administrator);
  }

  Picture await(String what, Predicate<Picture> wanted) {
    return Picture.await(administrator, what, wanted);
  }
}
