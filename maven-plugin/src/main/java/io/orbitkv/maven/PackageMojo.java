package io.orbitkv.maven;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoFailureException;
import org.jspecify.annotations.Nullable;

/**
 * The goal {@code orbitkv:package}: the plugin's zip and its digest in the build folder. Fields are
 * set by Maven, as {@code META-INF/maven/plugin.xml} says.
 */
public final class PackageMojo extends AbstractMojo {
  // What the Manager brings; a second copy in a plugin would be refused.
  private static final String OWN_GROUP = "io.orbitkv";
  private static final String ANNOTATIONS = "org.jspecify";

  private @Nullable String id;
  private @Nullable String version;
  private @Nullable String apiVersions;
  private @Nullable String provider;
  private @Nullable String description;
  private @Nullable String license;
  private @Nullable String module;
  private boolean nativeAccess;
  private @Nullable String dependencies;
  private String projectArtifactId = "";
  private String projectGroupId = "";
  private String projectVersion = "";
  private @Nullable String projectDescription;
  private @Nullable Artifact projectArtifact;
  private Set<Artifact> projectArtifacts = Set.of();
  private File directory = new File("");

  /** Maven makes it. */
  public PackageMojo() {}

  @Override
  public void execute() throws MojoFailureException {
    Artifact own = projectArtifact;
    if (own == null || own.getFile() == null || !own.getFile().isFile()) {
      throw new MojoFailureException(
          "the project has no jar yet: bind the goal to the phase package, after maven-jar-plugin");
    }
    String name = or(id, projectArtifactId);
    String of = or(version, projectVersion);
    try {
      PluginDescriptor descriptor =
          new PluginDescriptor(
              name,
              of,
              or(apiVersions, PluginDescriptor.COMPATIBLE),
              or(provider, projectGroupId),
              or(description, or(projectDescription, "")),
              or(license, ""),
              or(dependencies, ""),
              or(module, PluginZip.moduleOf(own.getFile().toPath())),
              nativeAccess);
      Path zip = directory.toPath().resolve(name + "-" + of + ".zip");
      String digest = PluginZip.write(zip, descriptor, jars(own));
      getLog().info("Plugin: " + zip);
      getLog().info("sha-256: " + digest);
    } catch (IllegalArgumentException wrong) {
      throw new MojoFailureException(String.valueOf(wrong.getMessage()), wrong);
    } catch (IOException failed) {
      throw new MojoFailureException("the plugin cannot be packed: " + failed.getMessage(), failed);
    }
  }

  private List<Path> jars(Artifact own) {
    List<Path> jars = new ArrayList<>();
    jars.add(own.getFile().toPath());
    for (Artifact library : projectArtifacts) {
      String scope = library.getScope();
      boolean bundled =
          Artifact.SCOPE_COMPILE.equals(scope) || Artifact.SCOPE_RUNTIME.equals(scope);
      if (!bundled || ANNOTATIONS.equals(library.getGroupId())) {
        continue;
      }
      if (OWN_GROUP.equals(library.getGroupId())) {
        getLog()
            .warn(
                library.getArtifactId()
                    + " is left out, since the Manager brings it: give it the scope provided");
        continue;
      }
      jars.add(library.getFile().toPath());
    }
    return jars;
  }

  private static String or(@Nullable String given, String otherwise) {
    return given == null || given.isBlank() ? otherwise : given.strip();
  }
}
