import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Checks or rewrites the layout of all Java sources below the current folder with
 * google-java-format.
 *
 * <p>Runs as a source file in the JVM of the build's JDK. Exit status 0: all is well; 1: {@code
 * check} found files that would change, or a file cannot be parsed; 2: bad usage.
 */
public final class Format {

  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", "node_modules");

  /** Exists after a check that found something; its absence lets the build go on. */
  private static final Path FAILED = Path.of("target", "formatter", "FAILED");

  private Format() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1 || !Set.of("check", "apply").contains(arguments[0])) {
      System.err.println("usage: Format check|apply");
      System.exit(2);
    }
    Files.deleteIfExists(FAILED);
    boolean apply = arguments[0].equals("apply");
    var differing = new ConcurrentSkipListSet<Path>();
    var unparsable = new ConcurrentSkipListSet<String>();
    sources().parallelStream().forEach(source -> format(source, apply, differing, unparsable));
    unparsable.forEach(System.err::println);
    if (apply) {
      differing.forEach(source -> System.out.println("formatted " + source));
    } else if (!differing.isEmpty()) {
      differing.forEach(source -> System.err.println("not formatted: " + source));
    }
    boolean failed = !unparsable.isEmpty() || (!apply && !differing.isEmpty());
    if (failed) {
      Files.createFile(FAILED);
    }
    System.exit(failed ? 1 : 0);
  }

  private static void format(
      Path source, boolean apply, Set<Path> differing, Set<String> unparsable) {
    try {
      String before = Files.readString(source);
      String after = new Formatter().formatSourceAndFixImports(before);
      if (!after.equals(before)) {
        differing.add(source);
        if (apply) {
          Files.writeString(source, after);
        }
      }
    } catch (FormatterException e) {
      e.diagnostics().forEach(diagnostic -> unparsable.add(source + ":" + diagnostic));
    } catch (IOException e) {
      unparsable.add(source + ": " + e);
    }
  }

  private static List<Path> sources() throws IOException {
    var sources = new ArrayList<Path>();
    Path root = Path.of("");
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            Path name = folder.getFileName();
            return name != null && SKIPPED_FOLDERS.contains(name.toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
