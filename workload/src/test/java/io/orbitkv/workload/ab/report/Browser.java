package io.orbitkv.workload.ab.report;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real browser without a window, where the machine has one. */
final class Browser {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private final Path program;
  private final Path profile;

  private Browser(Path program, Path profile) {
    this.program = program;
    this.profile = profile;
  }

  /** Looks for one on the path. */
  static Optional<Browser> find(Path profile) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(program -> new Browser(program, profile));
  }

  /** What became of a page once its scripts have run. */
  String document(Path page, boolean dark) throws IOException, InterruptedException {
    return run(page, dark, List.of("--dump-dom"));
  }

  /** A picture of a page. */
  void picture(Path page, boolean dark, Path png) throws IOException, InterruptedException {
    String _ = run(page, dark, List.of("--screenshot=" + png, "--window-size=1000,2600"));
  }

  private String run(Path page, boolean dark, List<String> options)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--virtual-time-budget=5000",
                "--user-data-dir=" + profile,
                "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1)));
    command.addAll(options);
    command.add(page.toUri().toString());
    Path out = Files.createTempFile(profile, "out", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the browser did not end");
    }
    return Files.readString(out, StandardCharsets.UTF_8);
  }
}
