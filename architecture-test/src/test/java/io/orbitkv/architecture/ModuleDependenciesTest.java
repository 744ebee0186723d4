package io.orbitkv.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which module may read which: the drawing of the design, as a table. */
class ModuleDependenciesTest {
  private static final String API = "io.orbitkv.api";
  private static final String WIRE = "io.orbitkv.wire";
  private static final String KERNEL = "io.orbitkv.kernel";
  private static final String MODEL = "io.orbitkv.model";
  private static final String MANAGER = "io.orbitkv.manager";
  private static final String CLIENT = "io.orbitkv.client";
  private static final String WORKLOAD = "io.orbitkv.workload";
  private static final String CLI = "io.orbitkv.cli";
  private static final String TESTKIT = "io.orbitkv.testkit";
  private static final String DRAM = "io.orbitkv.dram";
  private static final String HOST_COPY = "io.orbitkv.hostcopy";
  private static final String CUDA = "io.orbitkv.cuda";
  private static final String CUDA_COPY = "io.orbitkv.cudacopy";
  private static final String SSD = "io.orbitkv.ssd";
  private static final String SSD_SIM = "io.orbitkv.ssd.sim";
  private static final String PLANTED_BUGS = "io.orbitkv.plantedbugs";
  private static final String FAULTS = "io.orbitkv.faults";
  private static final String FAULT_POLICIES = "io.orbitkv.faultpolicies";

  private static final String W_TINYLFU = "io.orbitkv.policy.wtinylfu";

  /** Each policy reads the API and nothing else of our own. */
  private static final Set<String> POLICIES =
      Set.of(
          "io.orbitkv.policy.arrivallookahead",
          "io.orbitkv.policy.lru",
          "io.orbitkv.policy.restoreorrecompute",
          "io.orbitkv.policy.returndensity",
          "io.orbitkv.policy.segmentedlru",
          "io.orbitkv.policy.stoppingcutoffs",
          "io.orbitkv.policy.unownedwarming",
          W_TINYLFU,
          "io.orbitkv.policy.writeadaptive",
          "io.orbitkv.policy.writeall",
          "io.orbitkv.policy.writeonreuse");

  /**
   * For each module those of our own that it may read. A module that is neither named here nor a
   * policy fails the test.
   */
  private static final Map<String, Set<String>> ALLOWED_BESIDE_POLICIES =
      Map.ofEntries(
          Map.entry(API, Set.of()),
          Map.entry(WIRE, Set.of(API)),
          Map.entry(KERNEL, Set.of(API)),
          Map.entry(MODEL, Set.of(API)),
          // The model for shadows: miniatures on keys alone, fed by the running Manager.
          Map.entry(MANAGER, Set.of(API, WIRE, KERNEL, MODEL)),
          Map.entry(CLIENT, Set.of(API, WIRE)),
          Map.entry(CUDA, Set.of()),
          Map.entry(WORKLOAD, Set.of(API, CUDA, KERNEL, MODEL, CLIENT, WIRE)),
          Map.entry(CLI, Set.of(API, CUDA, WIRE, MODEL, MANAGER, CLIENT, WORKLOAD)),
          Map.entry(TESTKIT, Set.of(API, MODEL)),
          Map.entry(DRAM, Set.of(API)),
          Map.entry(HOST_COPY, Set.of(API)),
          Map.entry(CUDA_COPY, Set.of(API, CUDA)),
          Map.entry(SSD, Set.of(API)),
          Map.entry(PLANTED_BUGS, Set.of()),
          // Drives the store as it is; the plugin itself knows nothing of it.
          Map.entry(SSD_SIM, Set.of(API, SSD, WORKLOAD)),
          // For tests alone; the three that are not API are in its own jar when it is loaded.
          Map.entry(FAULTS, Set.of(API, TESTKIT, HOST_COPY, SSD)),
          Map.entry(FAULT_POLICIES, Set.of(API)));

  private static final Map<String, Set<String>> ALLOWED = withPolicies();

  private static final Set<String> PLUGINS = Set.of(DRAM, HOST_COPY, CUDA_COPY, SSD);

  /** Read by the compiler alone. */
  private static final String JSPECIFY = "org.jspecify";

  private final Modules modules = Modules.ofClassPath();

  private static Map<String, Set<String>> withPolicies() {
    Map<String, Set<String>> all = new TreeMap<>(ALLOWED_BESIDE_POLICIES);
    POLICIES.forEach(policy -> all.put(policy, Set.of(API)));
    return all;
  }

  @Test
  void modules_areThoseOfTheTable() {
    assertThat(modules.names()).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  @Test
  void ownModules_areReadOneWay() {
    for (String module : modules.names()) {
      assertThat(ALLOWED.get(module))
          .as("modules of OrbitKV that [%s] may read", module)
          .containsAll(modules.ownRequires(module));
    }
  }

  @Test
  void api_readsThePlatformsBaseAlone() {
    assertThat(modules.requires(API)).isSubsetOf("java.base", JSPECIFY);
  }

  @Test
  void kernel_readsApiAndThePlatformsBaseAlone() {
    assertThat(modules.requires(KERNEL)).isSubsetOf("java.base", API, JSPECIFY);
  }

  @Test
  void model_readsApiAndThePlatformsBaseAlone() {
    assertThat(modules.requires(MODEL)).isSubsetOf("java.base", API, JSPECIFY);
  }

  @Test
  void plugins_readApiAndNativeAccessAlone() {
    for (String plugin : PLUGINS) {
      assertThat(modules.requires(plugin))
          .as("modules that plugin [%s] reads", plugin)
          .isSubsetOf("java.base", "java.logging", API, CUDA, "com.sun.jna", JSPECIFY);
    }
  }

  @Test
  void policies_readApiAndWhatTheyBundleAlone() {
    for (String policy : POLICIES) {
      Set<String> bundled =
          policy.equals(W_TINYLFU) ? Set.of("com.github.benmanes.caffeine") : Set.of();
      Set<String> allowed = new TreeSet<>(bundled);
      allowed.addAll(Set.of("java.base", API, JSPECIFY));
      assertThat(modules.requires(policy))
          .as("modules that policy [%s] reads", policy)
          .isSubsetOf(allowed);
    }
  }

  @Test
  void policies_exportNothing() {
    for (String policy : POLICIES) {
      assertThat(modules.descriptor(policy).exports()).as("exports of [%s]", policy).isEmpty();
    }
  }

  @Test
  void pluginHostLibraries_areReadByTheManagerAlone() {
    for (String module : modules.names()) {
      if (!module.equals(MANAGER)) {
        assertThat(modules.requires(module))
            .as("modules that [%s] reads", module)
            .doesNotContain("org.pf4j", "com.google.guice", "micrometer.core");
      }
    }
  }

  @Test
  void nullnessAnnotations_areNeededAtCompileTimeOnly() {
    for (String module : modules.names()) {
      for (ModuleDescriptor.Requires required : modules.descriptor(module).requires()) {
        if (required.name().equals(JSPECIFY)) {
          assertThat(required.modifiers())
              .as("how [%s] requires [%s]", module, JSPECIFY)
              .contains(ModuleDescriptor.Requires.Modifier.STATIC);
        }
      }
    }
  }

  @Test
  void packages_lieUnderTheNameOfTheirModule() {
    for (String module : modules.names()) {
      var strays = new TreeSet<>(modules.descriptor(module).packages());
      strays.removeIf(name -> name.equals(module) || name.startsWith(module + "."));
      assertThat(strays).as("packages of [%s] with a foreign name", module).isEmpty();
    }
  }
}
