package io.orbitkv.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which Manager a command talks to. */
final class SocketOption {
  @Option(
      names = "--socket",
      paramLabel = "SOCKET",
      description = "Socket of the Manager. Default: that of the configuration.")
  private @Nullable Path socket;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file that names the socket.")
  private @Nullable Path config;

  @Nullable Path socket() {
    return socket;
  }

  @Nullable Path config() {
    return config;
  }
}
