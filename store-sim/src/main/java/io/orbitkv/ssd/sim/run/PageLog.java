package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the store was given, has promised and was told about one page. */
final class PageLog {
  static final int NO_VERSION = -1;

  final StoredKey key;
  final int namespace;
  final Namespace scope;
  final PageShape shape;
  final List<Version> versions = new ArrayList<>();

  /** Told as findable, and not told otherwise since. */
  boolean found;

  /** The oldest version that a read may give. */
  int least;

  /** Older versions are gone: the store has said so. */
  int goneBelow;

  /** Evictions that were asked for and not reported. */
  int going;

  /** Whether a read of it can only give {@link #least}. */
  boolean certain;

  /** Recovery found it and it was not given up since: it must be found again. */
  boolean promised;

  /** The same, and a flush has ended well since. */
  boolean promisedForGood;

  /** Grows with each notice and eviction, so that a read knows whether anything happened. */
  int changes;

  PageLog(StoredKey key, int namespace, Namespace scope, PageShape shape) {
    this.key = key;
    this.scope = scope;
    this.namespace = namespace;
    this.shape = shape;
  }

  /** The newest version that must be there after a crash, or {@link #NO_VERSION}. */
  int required(boolean flushedOnly) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      Version version = versions.get(i);
      if (!version.forgiven && (flushedOnly ? version.flushed : version.reported)) {
        return i;
      }
    }
    return NO_VERSION;
  }

  /** Whether any version may be there. */
  boolean possible() {
    return versions.size() > goneBelow;
  }

  /** The version with this content, the newest first; null for none. */
  @Nullable Version withContent(byte[] content) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (Arrays.equals(versions.get(i).content(), content)) {
        return versions.get(i);
      }
    }
    return null;
  }

  /** For a message: where it differs from the newest version. */
  String nearest(byte[] content) {
    if (versions.isEmpty()) {
      return "";
    }
    byte[] newest = versions.getLast().content();
    for (Version version : versions) {
      byte[] other = version.content();
      if (Arrays.mismatch(content, other) > Arrays.mismatch(content, newest)) {
        newest = other;
      }
    }
    return ": the first difference is at byte ["
        + Arrays.mismatch(content, newest)
        + "] of ["
        + content.length
        + "]";
  }

  /** Nothing that was written so far must be there from now on. */
  void forgive() {
    for (Version version : versions) {
      version.forgiven = true;
    }
    breakPromise();
  }

  /** Nothing that was reported so far must be there from now on. */
  void forgiveReported() {
    for (Version version : versions) {
      version.forgiven |= version.reported;
    }
    breakPromise();
  }

  private void breakPromise() {
    promised = false;
    promisedForGood = false;
    certain = false;
  }

  @Override
  public String toString() {
    return "[" + key.key().low() + " of namespace " + namespace + ", group " + key.group() + "]";
  }
}
