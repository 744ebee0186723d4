package io.orbitkv.cli;

import io.orbitkv.manager.config.ConfigFlags;
import io.orbitkv.manager.config.FlagValue;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configurations from what commands were given. */
final class Configurations {
  private Configurations() {}

  /**
   * Loads a configuration.
   *
   * @param facts of the process that is to serve: {@link HostFacts#detect} in that process itself,
   *     {@link HostFacts#detectForServe} in every other
   * @throws io.orbitkv.manager.settings.ConfigException naming every problem with its place
   */
  static ManagerConfig load(ManagerFlags flags, @Nullable Path socket, HostFacts facts) {
    return ManagerConfig.load(flags.config(), byKey(flags, socket), facts);
  }

  /** The flags by the key that each sets. */
  static Map<String, FlagValue> byKey(ManagerFlags flags, @Nullable Path socket) {
    ConfigFlags values = new ConfigFlags();
    flags.given().forEach((flag, texts) -> texts.forEach(text -> values.set(flag, text)));
    if (socket != null) {
      values.set("--socket", socket.toString());
    }
    return values.byKey();
  }

  /** The socket of a Manager to talk to. */
  static Path socket(SocketOption option) {
    Path named = option.socket();
    return named != null
        ? named
        : ManagerConfig.load(option.config(), Map.of(), HostFacts.detectForServe()).socket();
  }
}
