package io.orbitkv.plantedbugs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles changed sources of a module against the module as it is. Safe for several threads. */
final class BugCompiler {
  /** Those of the modules' own build but for Error Prone, which finds some of the bugs. */
  private static final List<String> OPTIONS =
      List.of("--release", "25", "-g", "-proc:none", "-Xlint:all", "-Werror");

  private final Path tree;
  private final Path work;
  private final List<Path> modulePath;
  private final JavaCompiler compiler;

  /**
   * @param tree root of the sources of all modules
   * @param work a folder for intermediate files
   * @param modulePath folders and archives with the compiled modules and what they require
   */
  BugCompiler(Path tree, Path work, List<Path> modulePath) {
    this.tree = tree;
    this.work = work;
    this.modulePath = modulePath;
    JavaCompiler found = ToolProvider.getSystemJavaCompiler();
    if (found == null) {
      throw new IllegalStateException("no compiler in this Java runtime: run it with a JDK");
    }
    this.compiler = found;
  }

  /**
   * The classes that a patch changes, by path in the module.
   *
   * @throws PlantException when it does not apply or compile, or changes no class
   */
  Map<String, byte[]> compile(PlantedPatch patch) throws IOException {
    Path sources = Files.createDirectories(work.resolve("sources").resolve(patch.name()));
    Path classes = Files.createDirectories(work.resolve("classes").resolve(patch.name()));
    List<Path> files = new ArrayList<>();
    String root = patch.target().sources();
    for (String path : patch.hunks().keySet()) {
      if (!path.startsWith(root) || !Files.isRegularFile(tree.resolve(path))) {
        throw new PlantException(patch.name(), "[" + path + "] is no source below [" + root + "]");
      }
      List<String> changed = patch.apply(path, Files.readAllLines(tree.resolve(path)));
      Path file = sources.resolve(path.substring(root.length()));
      Files.createDirectories(file.getParent());
      Files.write(file, changed);
      files.add(file);
    }
    compile(patch, sources, classes, files);
    Map<String, byte[]> changed = changedClasses(patch.target(), classes);
    if (changed.isEmpty()) {
      throw new PlantException(patch.name(), "no class is different from the module's own");
    }
    return changed;
  }

  private void compile(PlantedPatch patch, Path sources, Path classes, List<Path> files)
      throws IOException {
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    List<String> options = new ArrayList<>(OPTIONS);
    options.addAll(List.of("--patch-module", patch.target().module() + "=" + sources));
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8)) {
      manager.setLocationFromPaths(StandardLocation.MODULE_PATH, modulePath);
      manager.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
      boolean compiled =
          compiler
              .getTask(
                  null,
                  manager,
                  problems,
                  options,
                  null,
                  manager.getJavaFileObjectsFromPaths(files))
              .call();
      if (!compiled) {
        throw new PlantException(
            patch.name(),
            "does not compile:\n"
                + problems.getDiagnostics().stream()
                    .filter(problem -> problem.getKind() != Diagnostic.Kind.NOTE)
                    .map(Object::toString)
                    .collect(Collectors.joining("\n")));
      }
    }
  }

  private Map<String, byte[]> changedClasses(PlantTarget target, Path folder) throws IOException {
    Map<String, byte[]> changed = new TreeMap<>();
    try (ModuleReader original =
            ModuleFinder.of(modulePath.toArray(new Path[0]))
                .find(target.module())
                .orElseThrow()
                .open();
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = folder.relativize(file).toString();
        byte[] bytes = Files.readAllBytes(file);
        if (!Arrays.equals(bytes, original.open(name).map(BugCompiler::bytes).orElse(null))) {
          changed.put(name, bytes);
        }
      }
    }
    return changed;
  }

  private static byte[] bytes(InputStream stream) {
    try (stream) {
      return stream.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
