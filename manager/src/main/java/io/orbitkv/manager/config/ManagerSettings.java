package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;
import io.orbitkv.manager.settings.ConfigNode;
import java.util.List;

/**
 * Everything that can be configured, as written. What is derived from it is in {@link
 * ManagerConfig}.
 *
 * @param socket where clients connect
 * @param memory host memory
 * @param copiers device copiers
 * @param query limits of queries
 * @param backing the tier behind host memory
 * @param ssd storage behind host memory
 * @param sessions clients
 * @param plugins plugins
 * @param pluginSettings settings of plugins by plugin id
 * @param policies policies by slot, and their journal
 * @param ab an experiment with policies, which the command {@code ab} runs, and {@code ab start} on
 *     the traffic of this Manager
 * @param engine what is known of engines
 * @param metrics metrics over HTTP
 * @param log logging
 */
public record ManagerSettings(
    @Setting(
            def = "auto",
            doc =
                "Unix socket of the Manager; auto is orbitkv/manager.sock in $XDG_RUNTIME_DIR, or"
                    + " manager.sock in /tmp/orbitkv-<uid> where that is not set")
        String socket,
    @Setting(doc = "host memory") MemorySection memory,
    @Setting(def = "[host-copy]", doc = "device copiers in use, offered by plugins")
        List<String> copiers,
    @Setting(doc = "limits of queries") QuerySection query,
    @Setting(doc = "the tier behind host memory") BackingSection backing,
    @Setting(doc = "storage behind host memory") SsdSection ssd,
    @Setting(doc = "clients") SessionsSection sessions,
    @Setting(doc = "plugins") PluginsSection plugins,
    @Setting(doc = "settings of each plugin, by plugin id; plugins describe tells them")
        ConfigNode.Mapping pluginSettings,
    @Setting(
            doc =
                "policies by slot: lookahead, warming, cutoff, admission.{dram,ssd,promote},"
                    + " retention.{dram,ssd}; none and an absent slot mean the built-in default;"
                    + " and journal")
        ConfigNode.Mapping policies,
    @Setting(
            doc =
                "an experiment that compares policies: name, variants, assign, primary, guards;"
                    + " the command ab runs it, and ab start on live traffic")
        ConfigNode.Mapping ab,
    @Setting(doc = "what is known of engines") EngineSection engine,
    @Setting(doc = "metrics over HTTP") MetricsSection metrics,
    @Setting(doc = "logging") LogSection log) {}
