package io.orbitkv.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.plugin.ApiVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginZipTest {
  private static final PluginDescriptor DESCRIPTOR =
      new PluginDescriptor(
          "comeback",
          "1.0.0",
          PluginDescriptor.COMPATIBLE,
          "Somebody",
          "two\nlines",
          "",
          "",
          "org.example.comeback",
          false);

  @TempDir Path folder;

  @Test
  void write_ofJars_putsTheDescriptorAtTheTopAndTheJarsBelowLib() throws IOException {
    Path zip = folder.resolve("target/comeback-1.0.0.zip");

    String digest = PluginZip.write(zip, DESCRIPTOR, List.of(jar("b.jar"), jar("a.jar")));

    try (ZipFile opened = new ZipFile(zip.toFile())) {
      assertThat(opened.stream().map(ZipEntry::getName))
          .containsExactly("plugin.properties", "lib/a.jar", "lib/b.jar");
      try (InputStream in = opened.getInputStream(opened.getEntry("plugin.properties"))) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines())
            .containsExactly(
                "plugin.id=comeback",
                "plugin.version=1.0.0",
                "plugin.description=two lines",
                "plugin.provider=Somebody",
                "plugin.requires=" + PluginDescriptor.COMPATIBLE,
                "orbitkv.module=org.example.comeback");
      }
    }
    assertThat(folder.resolve("target/comeback-1.0.0.zip.sha256"))
        .hasContent(digest + "  comeback-1.0.0.zip\n");
    assertThat(digest).hasSize(64);
  }

  @Test
  void write_twice_givesTheSameDigest() throws IOException {
    List<Path> jars = List.of(jar("a.jar"));

    String first = PluginZip.write(folder.resolve("one.zip"), DESCRIPTOR, jars);
    String second = PluginZip.write(folder.resolve("two.zip"), DESCRIPTOR, jars);

    assertThat(second).isEqualTo(first);
  }

  @Test
  void write_ofLibrariesOfOneName_isRefused() throws IOException {
    Path other = Files.createDirectories(folder.resolve("other")).resolve("a.jar");
    Files.writeString(other, "x");

    assertThatThrownBy(() ->
            PluginZip.write(folder.resolve("x.zip"), DESCRIPTOR, List.of(jar("a.jar"), other)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[a.jar]");
  }

  @Test
  void moduleOf_aJarWithoutADescriptor_saysWhatToWrite() throws IOException {
    Path jar = folder.resolve("plain.jar");
    try (var out = new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new ZipEntry("org/example/Nothing.class"));
      out.closeEntry();
    }

    assertThatThrownBy(() -> PluginZip.moduleOf(jar)).hasMessageContaining("module-info.java");
  }

  @Test
  void descriptor_ofWrongIdOrVersion_isRefusedWithTheWayOut() {
    assertThatThrownBy(() -> descriptor("My_Policy", "1.0.0"))
        .hasMessageContaining("[My_Policy]")
        .hasMessageContaining("<id>");
    assertThatThrownBy(() -> descriptor("fine", "1.0"))
        .hasMessageContaining("[1.0]")
        .hasMessageContaining("<version>");
  }

  @Test
  void compatibleVersions_includeTheApiOfThisBuild() {
    String minor = ApiVersion.CURRENT.replaceAll("\\.\\d+$", "");

    assertThat(PluginDescriptor.COMPATIBLE).startsWith(">=" + minor + ".");
  }

  private static PluginDescriptor descriptor(String id, String version) {
    return new PluginDescriptor(id, version, ">=0.1.0", "", "", "", "", "m", false);
  }

  private Path jar(String name) throws IOException {
    Path jar = folder.resolve(name);
    Files.writeString(jar, name);
    return jar;
  }
}
