package io.orbitkv.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the report of an experiment goes, for the commands that make one. */
final class AbOutputOptions {
  @Option(
      names = "--require",
      paramLabel = "VERDICT",
      order = 50,
      description = "Exit status 1 unless the verdict is this one: A, B or equivalent.")
  private @Nullable String require;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      order = 51,
      description = "Also write a page with charts, which needs nothing beside it.")
  private @Nullable Path html;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      order = 52,
      description = "Also write a line for each run, or for each block of live traffic.")
  private @Nullable Path csv;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      order = 53,
      description = "Also write the report as JSON.")
  private @Nullable Path output;

  @Mixin private JsonOption json = new JsonOption();

  AbOutput output() {
    return new AbOutput(json.json(), html, csv, output, require);
  }
}
