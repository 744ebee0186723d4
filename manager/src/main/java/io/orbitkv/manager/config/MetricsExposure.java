package io.orbitkv.manager.config;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether others than the users of this machine can read the metrics. */
public final class MetricsExposure {
  private MetricsExposure() {}

  /**
   * What to warn of.
   *
   * @param address where metrics are served over HTTP; null: nowhere
   */
  public static Optional<String> warning(@Nullable InetSocketAddress address) {
    if (address == null || address.getAddress().isLoopbackAddress()) {
      return Optional.empty();
    }
    return Optional.of(
        "metrics are served on ["
            + address.getAddress().getHostAddress()
            + "], where whoever reaches it reads them: nobody is asked who they are"
            + " (`metrics.address`)");
  }
}
