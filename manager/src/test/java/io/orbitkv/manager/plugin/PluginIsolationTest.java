package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.manager.settings.SettingsBinder;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a plugin cannot reach. */
class PluginIsolationTest {
  private static PluginWorkshop workshop;

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private String compileAgainst(String type, String requires) {
    return workshop.compile(
        work.resolve("out"),
        Map.of(
            "module-info.java",
            "module probe { requires io.orbitkv.api; " + requires + " }",
            "Probe.java",
            "package probe; class Probe { Object o = " + type + ".class; }"),
        List.of());
  }

  @Test
  void compile_managerPackage_isNotVisible() {
    assertThat(compileAgainst("io.orbitkv.manager.plugin.PluginHost", ""))
        .contains("package io.orbitkv.manager.plugin is not visible");
    assertThat(
            compileAgainst("io.orbitkv.manager.plugin.PluginHost", "requires io.orbitkv.manager;"))
        .contains("does not export it to module probe");
  }

  @Test
  void compile_kernelPackage_isNotVisible() {
    assertThat(compileAgainst("io.orbitkv.kernel.machine.Kernel", ""))
        .contains("package io.orbitkv.kernel.machine is not visible");
    assertThat(compileAgainst("io.orbitkv.kernel.machine.Kernel", "requires io.orbitkv.kernel;"))
        .contains("does not export it to module probe");
  }

  private void run(String code) {
    workshop.plugin("probe").create("try {\n" + code + RETHROW).zipInto(plugins);
    PluginHostOptions options =
        PluginHostOptions.of(work, new SimpleMeterRegistry(), System::nanoTime);
    try (PluginHost host = PluginHost.open(plugins, new PluginTrust.Any(), options)) {
      assertThat(host.refusals()).isEmpty();
      Provided<DeviceCopierFactory<?>> provided = host.copier("probe").orElseThrow();
      provided.call(factory -> create(factory, provided.scope()));
    }
  }

  private static final String RETHROW =
      """
      return null;
      } catch (RuntimeException thrown) { throw thrown;
      } catch (Throwable thrown) { throw new IllegalStateException(thrown); }
      """;

  private static <S extends Record> Object create(
      DeviceCopierFactory<S> factory, PluginScope scope) {
    factory.create(SettingsBinder.bind(factory.settings(), null, ""), scope);
    return scope;
  }

  @Test
  void reflect_kernelClassByName_isNotFound() {
    for (String name :
        List.of(
            "io.orbitkv.kernel.machine.Kernel",
            "io.orbitkv.manager.plugin.PluginHost",
            "org.pf4j.PluginManager",
            "tools.jackson.databind.ObjectMapper")) {
      assertThatThrownBy(() -> run("Class.forName(\"" + name + "\");"))
          .as(name)
          .hasCauseInstanceOf(ClassNotFoundException.class);
    }
  }

  @Test
  void reflect_managerClassThroughTheSystemLoader_isNotAccessible() {
    String find =
        "Class<?> type = ClassLoader.getSystemClassLoader()"
            + ".loadClass(\"io.orbitkv.manager.plugin.PluginLimits\");\n";
    assertThatThrownBy(() -> run(find + "type.getMethod(\"standard\").invoke(null);"))
        .hasCauseInstanceOf(IllegalAccessException.class)
        .hasMessageContaining("does not export io.orbitkv.manager.plugin to module test.probe");
    assertThatThrownBy(() -> run(find + "type.getDeclaredConstructors()[0].setAccessible(true);"))
        .isInstanceOf(InaccessibleObjectException.class)
        .hasMessageContaining("test.probe");
  }

  @Test
  void reflect_kernelClassThroughTheSystemLoader_isNotAccessible() {
    String find =
        "Class<?> type = ClassLoader.getSystemClassLoader()"
            + ".loadClass(\"io.orbitkv.kernel.KernelStatus\");\n";
    assertThatThrownBy(() -> run(find + "type.getDeclaredConstructors()[0].newInstance();"))
        .hasCauseInstanceOf(IllegalAccessException.class);
    assertThatThrownBy(() -> run(find + "type.getDeclaredConstructors()[0].setAccessible(true);"))
        .isInstanceOf(InaccessibleObjectException.class);
  }

  @Test
  void reflect_managerObjectHandedOver_isNotOpen() {
    assertThatThrownBy(() ->
            run(
                "java.lang.reflect.Field field ="
                    + " context.getClass().getDeclaredField(\"nanoClock\");\n"
                    + "field.setAccessible(true);"))
        .isInstanceOf(InaccessibleObjectException.class)
        .hasMessageContaining("does not \"opens io.orbitkv.manager.plugin\" to module test.probe");
  }

  @Test
  void resources_ofTheManager_areNotSeen() {
    assertThatThrownBy(() ->
            run(
                "Object found = Entry.class.getClassLoader()"
                    + ".getResource(\"io/orbitkv/manager/plugin/PluginHost.class\");\n"
                    + "if (true) throw new IllegalStateException(\"found \" + found);"))
        .hasMessage("found null");
  }
}
