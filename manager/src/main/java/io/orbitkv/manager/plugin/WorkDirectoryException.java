package io.orbitkv.manager.plugin;

import java.io.Serial;
import java.nio.file.Path;

/** The folder into which plugins are expanded cannot be written: no plugin is to blame. */
public final class WorkDirectoryException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  WorkDirectoryException(Path directory, Throwable cause) {
    super(
        "plugins cannot be expanded into ["
            + directory
            + "]: "
            + cause.getMessage()
            + "; make room there, or set plugins.work-directory to a folder with room",
        cause);
  }
}
