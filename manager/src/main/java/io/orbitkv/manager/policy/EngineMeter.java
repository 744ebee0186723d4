package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What engines tell of themselves, by the name of the instance. Dispatcher. Bounded: the names that
 * were registered longest ago are forgotten.
 */
final class EngineMeter {
  private static final int MOST = 4096;

  private final long configuredTokensPerSecond;
  private final Map<Registration, String> registering = bounded();
  private final Map<Integer, String> names = bounded();
  private final Map<String, Rate> rates = bounded();

  private record Registration(long session, long operation) {}

  private record Rate(long tokensPerSecond, long nanos) {}

  /**
   * @param configuredTokensPerSecond for engines that tell none; 0 for none
   */
  EngineMeter(long configuredTokensPerSecond) {
    this.configuredTokensPerSecond = configuredTokensPerSecond;
  }

  void registering(Event.Register register) {
    registering.put(
        new Registration(register.session(), register.operation()), register.instanceName());
  }

  void registered(Command.Registered registered) {
    String name =
        registering.remove(new Registration(registered.session(), registered.operation()));
    if (name != null) {
      names.put(registered.instance(), name);
    }
  }

  /** The name of an instance; empty when it is not known (any more). */
  String name(int instance) {
    return names.getOrDefault(instance, "");
  }

  void ended(long session) {
    registering.keySet().removeIf(registration -> registration.session() == session);
  }

  void told(Event.EngineStats stats, long nowNanos) {
    String name = names.get(stats.instance());
    if (name != null && stats.prefillTokensPerSecond() > 0) {
      rates.put(name, new Rate(stats.prefillTokensPerSecond(), nowNanos));
    }
  }

  EngineFacts facts(String instance, long queuedTokens, long nowNanos) {
    Rate rate = rates.get(instance);
    if (rate != null) {
      return new EngineFacts(
          instance, rate.tokensPerSecond(), nowNanos - rate.nanos(), queuedTokens);
    }
    return new EngineFacts(
        instance,
        configuredTokensPerSecond > 0 ? configuredTokensPerSecond : Facts.UNKNOWN,
        Facts.UNKNOWN,
        queuedTokens);
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MOST;
      }
    };
  }
}
