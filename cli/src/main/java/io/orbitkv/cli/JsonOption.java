package io.orbitkv.cli;

import picocli.CommandLine.Option;

/** Output for machines. */
final class JsonOption {
  @Option(names = "--json", order = 90, description = "Print JSON instead of text.")
  private boolean json;

  boolean json() {
    return json;
  }
}
