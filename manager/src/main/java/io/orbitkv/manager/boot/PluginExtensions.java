package io.orbitkv.manager.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.manager.admin.StatusReport;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PluginBinding;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.plugin.WorkDirectoryException;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.settings.ConfigException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the plugins give that the configuration names. */
final class PluginExtensions implements Extensions {
  private static final Logger log = LoggerFactory.getLogger(PluginExtensions.class);

  private final PluginHost host;
  private final PluginBinding binding;
  private final PluginPolicies policies;

  private PluginExtensions(ManagerConfig config, PluginHost host, PluginBinding binding) {
    this.host = host;
    this.binding = binding;
    this.policies = new PluginPolicies(config, host);
    List<String> fallenBack = DefaultPolicies.missing(config.policies(), host);
    if (!fallenBack.isEmpty()) {
      log.info(
          "no plugin in [{}] offers the default policy of [{}]: what is built in serves there;"
              + " install the plugin, or write none for the slot",
          host.directory(),
          String.join(", ", fallenBack));
    }
  }

  static PluginExtensions open(
      ManagerConfig config, ManagerEnvironment environment, MeterRegistry meters)
      throws ManagerException {
    PluginHost host;
    try {
      host =
          PluginHost.open(
              config.pluginsDirectory(),
              config.pluginTrust(),
              PluginHostOptions.of(config.pluginsWorkDirectory(), meters, environment.nanoClock()));
    } catch (WorkDirectoryException full) {
      throw ManagerException.runtime(message(full), full);
    } catch (IllegalStateException refused) {
      throw ManagerException.usage(message(refused), refused);
    }
    try {
      PluginBinding binding = PluginBinding.of(config, host);
      return new PluginExtensions(config, host, binding);
    } catch (ConfigException refused) {
      host.close();
      throw ManagerException.usage(message(refused), refused);
    } catch (RuntimeException refused) {
      host.close();
      throw refused;
    }
  }

  @Override
  public MemoryTier memoryTier(MemoryTierFactory.Request request, CellShare share)
      throws ManagerException {
    Provided<MemoryTierFactory<?>> tier = binding.memoryTier();
    return made(
        "memory tier", tier, () -> tier.call(factory -> create(tier, factory, request, share)));
  }

  @Override
  public DeviceCopier copier(String name, CellShare share) throws ManagerException {
    for (Provided<DeviceCopierFactory<?>> copier : binding.copiers()) {
      if (copier.factory().name().equals(name)) {
        return made("copier", copier, () -> copier.call(factory -> create(copier, factory, share)));
      }
    }
    throw new IllegalArgumentException("copier [" + name + "] is not one of the configuration");
  }

  @Override
  public BackingTier backingTier(List<HostChunk> chunks, CellShare share) throws ManagerException {
    Provided<BackingTierFactory<?>> tier =
        binding
            .backingTier()
            .orElseThrow(
                () -> new IllegalArgumentException("the configuration names no backing tier"));
    return made(
        "backing tier", tier, () -> tier.call(factory -> create(tier, factory, chunks, share)));
  }

  @Override
  public PolicyCatalog policies() {
    return policies;
  }

  @Override
  public List<StatusReport.PluginLine> plugins() {
    return host.plugins().stream()
        .map(plugin ->
            new StatusReport.PluginLine(
                plugin.id(), plugin.version(), plugin.status().name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  @Override
  public List<StatusReport.RefusalLine> refusals() {
    return host.refusals().stream()
        .map(refusal -> new StatusReport.RefusalLine(refusal.plugin(), refusal.line()))
        .toList();
  }

  @Override
  public void close() {
    host.close();
  }

  private <S extends Record> MemoryTier create(
      Provided<?> provided,
      MemoryTierFactory<S> factory,
      MemoryTierFactory.Request request,
      CellShare share) {
    return factory.create(
        binding.settings(provided, factory.settings()), request, context(provided, share));
  }

  private <S extends Record> BackingTier create(
      Provided<?> provided,
      BackingTierFactory<S> factory,
      List<HostChunk> chunks,
      CellShare share) {
    S settings = binding.settings(provided, factory.settings());
    if (share.divided()) {
      settings =
          factory
              .part(settings, share.number(), share.percent() / 100.0)
              .orElseThrow(() ->
                  new IllegalStateException(
                      "["
                          + factory.name()
                          + "] cannot be divided into cells, which ab.assign.isolation: partition"
                          + " needs: use another backing tier, or isolation: time"));
    }
    return factory.create(settings, chunks, context(provided, share));
  }

  private <S extends Record> DeviceCopier create(
      Provided<?> provided, DeviceCopierFactory<S> factory, CellShare share) {
    return factory.create(binding.settings(provided, factory.settings()), context(provided, share));
  }

  // What a plugin makes for two cells has two meters of each name.
  private static PluginContext context(Provided<?> provided, CellShare share) {
    return share.divided() ? provided.scope().ofCell(share.name()) : provided.scope();
  }

  private static <T> T made(String kind, Provided<?> provided, Supplier<T> work)
      throws ManagerException {
    String what = kind + " of plugin [" + provided.plugin().id() + "]: ";
    try {
      return work.get();
    } catch (ConfigException refused) {
      throw ManagerException.usage(message(refused), refused);
    } catch (IllegalStateException | IllegalArgumentException refused) {
      throw ManagerException.runtime(what + message(refused), refused);
    } catch (LinkageError | RuntimeException failed) {
      throw ManagerException.runtime(
          what + "it failed with [" + failed + "]: ask its author", failed);
    }
  }

  private static String message(RuntimeException refused) {
    String message = refused.getMessage();
    return message == null ? refused.toString() : message;
  }
}
