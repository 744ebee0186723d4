package io.orbitkv.manager.plugin;

import java.lang.module.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What stands behind {@code plugins list}, {@code verify} and {@code describe}. */
public final class PluginCommands {
  private PluginCommands() {}

  /** Which plugins there are, refused ones with their reasons. */
  public static PluginList list(PluginHost host) {
    return new PluginList(host.directory().toString(), host.plugins(), host.refusals());
  }

  /**
   * Everything that is known of one plugin.
   *
   * @throws IllegalArgumentException when no such plugin is loaded, with the refusal if there is
   *     one
   */
  public static PluginDescription describe(PluginHost host, String id) {
    for (PluginInfo plugin : host.plugins()) {
      if (plugin.id().equals(id)) {
        return new PluginDescription(plugin);
      }
    }
    for (PluginRefusal refusal : host.refusals()) {
      if (refusal.plugin().equals(id)) {
        throw new IllegalArgumentException(refusal.line());
      }
    }
    List<String> ids = host.plugins().stream().map(PluginInfo::id).toList();
    throw new IllegalArgumentException(
        "no plugin [" + id + "] in [" + host.directory() + "]; loaded: " + ids);
  }

  /**
   * Checks one zip or folder without starting anything and without running its code: archive,
   * descriptor, pin, API range, dependencies, modules.
   *
   * @param file the zip or folder
   * @param pluginsDirectory where the plugins are that it may depend on
   * @param trust as configured
   * @param workDirectory where it is expanded
   */
  public static PluginVerification verify(
      Path file, Path pluginsDirectory, PluginTrust trust, Path workDirectory) {
    try (PluginStore store = new PluginStore(workDirectory, PluginLimits.standard())) {
      return new Verifier(pluginsDirectory, trust, store).verify(file);
    }
  }

  /**
   * Checks every plugin of a directory as {@link #verify} does.
   *
   * @param pluginsDirectory with zips and folders
   * @param trust as configured
   * @param workDirectory where they are expanded
   */
  public static List<PluginVerification> verifyAll(
      Path pluginsDirectory, PluginTrust trust, Path workDirectory) {
    List<PluginVerification> all = new ArrayList<>();
    for (Path file : PluginInstallation.candidates(pluginsDirectory)) {
      all.add(verify(file, pluginsDirectory, trust, workDirectory));
    }
    return all;
  }

  /** Whether a folder is one plugin, and not a directory of several. */
  public static boolean isPluginFolder(Path folder) {
    return Files.isRegularFile(folder.resolve(Descriptor.FILE));
  }

  /**
   * Who a plugin is, from its descriptor; nothing of it runs.
   *
   * @param file the zip or folder
   * @param workDirectory where it is expanded
   * @throws IllegalArgumentException when it is no plugin, or not what its digest file says
   */
  public static PluginIdentity identify(Path file, Path workDirectory) {
    try (PluginStore store = new PluginStore(workDirectory, PluginLimits.standard())) {
      PluginStore.Expanded expanded = store.expand(file);
      DigestFile.check(file, expanded.digest());
      Descriptor descriptor = Descriptor.read(expanded.folder());
      return new PluginIdentity(descriptor.id(), descriptor.version(), expanded.digest());
    } catch (RefusedException refused) {
      throw new IllegalArgumentException(
          "plugin [" + file + "] cannot be used: " + refused.reason() + "; " + refused.remedy(),
          refused);
    }
  }

  /** One verification. */
  private static final class Verifier {
    private final Path pluginsDirectory;
    private final PluginTrust trust;
    private final PluginStore store;
    private final List<PluginVerification.Check> checks = new ArrayList<>();

    Verifier(Path pluginsDirectory, PluginTrust trust, PluginStore store) {
      this.pluginsDirectory = pluginsDirectory;
      this.trust = trust;
      this.store = store;
    }

    PluginVerification verify(Path file) {
      String step = "file";
      String id = "";
      String digest = "";
      try {
        if (!Files.exists(file)) {
          throw new RefusedException("there is no such file", "correct the path");
        }
        step = "archive";
        PluginStore.Expanded expanded = store.expand(file);
        digest = expanded.digest();
        boolean confirmed = DigestFile.check(file, digest);
        passed(step, "sha-256 " + digest + (confirmed ? ", as its digest file says" : ""));
        step = "descriptor";
        Descriptor descriptor = Descriptor.read(expanded.folder());
        id = descriptor.id();
        passed(step, id + " " + descriptor.version());
        PluginInstallation plugin =
            new PluginInstallation(file, expanded.folder(), expanded.digest(), descriptor);
        step = "trust and API";
        plugin.check(trust);
        passed(step, "works with " + descriptor.requires());
        step = "dependencies";
        SortedMap<String, PluginInstallation> installed = installed();
        installed.put(descriptor.id(), plugin);
        SortedMap<String, Descriptor> descriptors = new TreeMap<>();
        installed.forEach((each, of) -> descriptors.put(each, of.descriptor()));
        DependencyOrder order = DependencyOrder.of(descriptors, java.util.Set.of());
        RefusedException refused = order.refused().get(descriptor.id());
        if (refused != null) {
          throw refused;
        }
        passed(
            step,
            descriptor.dependencies().isEmpty() ? "none" : descriptor.dependencies().toString());
        step = "modules";
        passed(step, modules(descriptor.id(), order.order(), installed));
      } catch (RefusedException refused) {
        checks.add(
            new PluginVerification.Check(step, false, refused.reason() + "; " + refused.remedy()));
      }
      return new PluginVerification(file.toString(), id, digest, checks);
    }

    private void passed(String name, String detail) {
      checks.add(new PluginVerification.Check(name, true, detail));
    }

    /** Plugins that could be dependencies; those that cannot be read are as good as absent. */
    private SortedMap<String, PluginInstallation> installed() {
      SortedMap<String, PluginInstallation> installed = new TreeMap<>();
      for (Path candidate : PluginInstallation.candidates(pluginsDirectory)) {
        try {
          PluginStore.Expanded expanded = store.expand(candidate);
          Descriptor descriptor = Descriptor.read(expanded.folder());
          PluginInstallation plugin =
              new PluginInstallation(candidate, expanded.folder(), expanded.digest(), descriptor);
          plugin.check(trust);
          installed.putIfAbsent(descriptor.id(), plugin);
        } catch (RefusedException unusable) {
          System.getLogger(PluginCommands.class.getName())
              .log(System.Logger.Level.DEBUG, "[" + candidate + "] is no dependency", unusable);
        }
      }
      return installed;
    }

    private String modules(
        String id, List<String> order, SortedMap<String, PluginInstallation> installed) {
      Configuration base = PluginHost.baseLayer().configuration();
      Map<String, Configuration> resolved = new HashMap<>();
      for (String next : order) {
        PluginInstallation plugin = installed.get(next);
        if (plugin == null) {
          continue;
        }
        List<Configuration> dependencies = new ArrayList<>();
        for (Descriptor.Dependency dependency : plugin.descriptor().dependencies()) {
          Configuration found = resolved.get(dependency.id());
          if (found != null) {
            dependencies.add(found);
          }
        }
        try {
          ModuleGraph graph =
              ModuleGraph.resolve(plugin.folder(), plugin.descriptor(), dependencies, base);
          if (next.equals(id)) {
            return "root " + graph.root() + " of " + graph.names();
          }
          resolved.put(next, graph.configuration());
        } catch (RefusedException refused) {
          if (next.equals(id)) {
            throw refused;
          }
        }
      }
      throw new RefusedException("its modules were not reached", "mend its dependencies first");
    }
  }
}
