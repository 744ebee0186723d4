package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;

/**
 * Metrics over HTTP. Over the Manager's own socket they are always there.
 *
 * @param prometheus port, or off
 * @param address to listen on
 */
public record MetricsSection(
    @Setting(
            def = "off",
            doc =
                "port on which Prometheus finds the metrics, at /metrics, and /health; 0 takes a"
                    + " free one, off none")
        String prometheus,
    @Setting(
            def = "127.0.0.1",
            doc =
                "address that it listens on; nobody is asked who they are, so any other than a"
                    + " loopback address shows the metrics to a network")
        String address) {
  /** Without HTTP. */
  static final String OFF = "off";
}
