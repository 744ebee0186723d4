package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingStatus;

/** Places where work waits until a test lets it go. Any thread. */
@FunctionalInterface
public interface Barriers {
  /** Before a page is read from the backing tier. */
  String READ = "read";

  /** Before a page is written to the backing tier. */
  String WRITE = "write";

  /** Before a plan of a restore reaches its copier. */
  String COPY_RESTORE = "copy-restore";

  /** After a staged plan was told to be submitted, before its first byte. */
  String COPY_STAGED = "copy-staged";

  /** Before a plan of a publish reaches its copier. */
  String COPY_PUBLISH = "copy-publish";

  /**
   * Waits while the point is armed.
   *
   * @return what the test wants to become of the work; {@link BackingStatus#DONE} for its normal
   *     end
   */
  BackingStatus pass(String point);
}
