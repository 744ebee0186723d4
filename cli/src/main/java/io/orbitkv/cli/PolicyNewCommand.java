package io.orbitkv.cli;

import io.orbitkv.workload.report.JsonReport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "new",
    description = {
      "Begin a policy of your own: a Maven project with the policy and its settings, the contract"
          + " tests of its role, and a build that packs it as a plugin.",
      "",
      "It uses the SDK of this installation (folder sdk) and needs a JDK 25 and Maven. After the"
          + " first build everything works without a network."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv policy new my-policy --role retention",
      "  orbitkv policy new my-policy --role admission --package com.example.mine --out mine"
    })
final class PolicyNewCommand extends BaseCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "NAME",
      arity = "1",
      description = "Its name: lower case letters, digits and dashes.")
  private String name = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      order = 1,
      required = true,
      description = "What it decides: lookahead, warming, cutoff, admission or retention.")
  private String role = "";

  @Option(
      names = "--package",
      paramLabel = "P",
      order = 2,
      description = "Package of its classes. Default: org.example and the name.")
  private @Nullable String packageName;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      order = 3,
      description = "Folder of the project, which must not be there. Default: the name.")
  private @Nullable Path out;

  @Option(
      names = "--sdk",
      paramLabel = "DIR",
      order = 4,
      description = "SDK that it uses. Default: that of this installation.")
  private @Nullable Path sdk;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() {
    Path home = Path.of(System.getProperty("orbitkv.home", "."));
    PolicyProject project =
        PolicyProject.of(
            name,
            ProjectRole.of(role),
            packageName == null ? "" : packageName,
            sdk == null ? home.resolve("sdk") : sdk);
    Path folder = out == null ? Path.of(name) : out;
    List<Path> files = project.write(folder);
    out()
        .print(
            json.json()
                ? JsonReport.object(report -> {
                  report
                      .field("name", name)
                      .field("role", role)
                      .field("package", project.packageName())
                      .field("folder", folder.toString())
                      .field("sdk_version", project.version())
                      .texts("files", files.stream().map(Path::toString).toList());
                })
                    + "\n"
                : text(project, folder, files));
    return 0;
  }

  private static String text(PolicyProject project, Path folder, List<Path> files) {
    StringBuilder text = new StringBuilder("The project of [" + project.name() + "]:\n");
    files.forEach(file -> text.append("  ").append(folder.resolve(file)).append('\n'));
    return text.append("\nNext:\n  cd ")
        .append(folder)
        .append(" && mvn package\n  orbitkv policy try ")
        .append(folder.resolve("target").resolve(project.name() + "-1.0.0.zip"))
        .append('\n')
        .toString();
  }
}
