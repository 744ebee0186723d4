package io.orbitkv.manager.plugin;

import java.util.function.Function;

/**
 * Something that a plugin offers, with the plugin's scope. Whoever keeps one keeps the plugin's
 * classes: let go of it before the plugin is unloaded.
 *
 * @param factory what the plugin offers
 * @param plugin who offers it
 * @param scope what its {@code create} takes as context; closed by the host when the plugin stops
 * @param <F> the kind of factory
 */
public record Provided<F>(F factory, PluginInfo plugin, PluginScope scope) {
  /** Runs plugin code on the calling thread, with the plugin's loader as context class loader. */
  public <R> R call(Function<? super F, ? extends R> work) {
    try (ContextLoader _ = ContextLoader.of(factory.getClass().getClassLoader())) {
      return work.apply(factory);
    }
  }
}
