package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class UsageTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                              | a command is missing
          repaly                                          | unknown command [repaly]: did you mean replay?
          qqqqqqqqq                                       | unknown command [qqqqqqqqq]
          replay --trcae x                                | unknown option [--trcae]: did you mean --trace
          version now                                     | unknown argument [now]
          bench                                           | a command is missing: wire, delivery, kernel, ssd, copy, policy, shadow or model
          bench shadow --trace x --capacity 1gb --slot cutoff --shadow none | --slot [cutoff] has no miniatures
          bench wier                                      | unknown command [wier]: did you mean wire
          trace                                           | a command is missing: generate, reuse or info
          plugins                                         | a command is missing: list, verify, install or describe
          plugins install /no/such.zip                    | plugin [/no/such.zip] is no file
          plugins verify /no/such.zip                     | plugin [/no/such.zip] does not exist
          config                                          | a command is missing: show, schema, check or reload
          policy                                          | a command is missing: list, swap, revert, explain, new, try or replay
          policy new                                      | missing required
          policy new x --role cache                       | --role [cache] is not known: must be one of lookahead, warming
          policy new My_Policy --role cutoff              | policy name [My_Policy] must be lower case
          policy new lru --role retention                 | policy name [lru] is built in
          policy new x --role cutoff --package io.orbitkv.x | --package [io.orbitkv.x] is reserved
          policy new x --role cutoff --package org.new    | --package [org.new] must be a Java package
          policy new x --role cutoff --sdk /no/such       | there is no SDK in [/no/such]
          policy try /no/such.zip                         | plugin [/no/such.zip] does not exist
          policy try x.zip --trace a --generate           | not both
          policy replay /no/such --with x.zip             | journal [/no/such] is no file
          replay                                          | either --trace FILE or --generate
          replay --generate --trace x                     | not both
          replay --trace x --seed 4                       | --seed belongs to --generate
          replay --generate --requests many               | --requests
          replay --generate --requests 0                  | requests [0]
          replay --generate --speed 0                     | --speed [0.0]
          replay --generate --speed 2 --closed-loop       | exclude each other
          replay --generate --concurrency 0               | concurrency [0]
          replay --generate --page-tokens 60              | page of [60] tokens
          replay --generate --bytes-per-token 0           | bytes a token [0]
          replay --generate --pool-size 4xb               | --pool-size: [4xb] is not a size
          replay --generate --hbm-size big                | [big] is not a size
          replay --generate --hbm-size 1kb                | smaller than a page
          replay --generate --out /                       | --out [/] is a folder
          replay --trace /no/such/trace.jsonl             | trace [/no/such/trace.jsonl] does not exist
          replay --trace /                                | trace [/] is a folder
          trace info                                      | missing required parameter: 'FILE'
          trace info /no/such                             | trace [/no/such] does not exist
          trace info /etc/hostname --page-tokens 7        | page of [7] tokens
          trace generate --requests -1                    | requests [-1]
          bench copy --seconds 0                          | --seconds [0.0] is not a number of seconds
          bench copy --fragment-sizes 1kb                 | fragments of [1024] bytes
          bench copy --pool-size 1mb                      | at least 1gb of host memory
          bench wire --rounds 0                           | rounds [0]
          bench wire --pages 0                            | pages [0]
          bench delivery --concurrent 0                   | queries at a time [0]
          bench delivery --queries 5                      | queries [5]
          bench delivery --runs 0                         | runs [0]
          bench kernel --pages 5                          | pages [5]
          bench kernel --rounds 0                         | rounds [0]
          bench kernel --pages 100000000                  | needs a heap of
          bench ssd                                       | missing required option: '--file=FILE'
          bench ssd --file x --size 1mb                   | --size [1048576] is less than 64mb
          bench ssd --file x --size 64000001              | --size [64000001] is less than 64mb
          bench ssd --file x --page-sizes 5000            | --page-sizes [5000] is not a positive
          bench ssd --file x --page-sizes 1gb             | would hold fewer than 64 of them
          bench ssd --file x --depth 0                    | --depth [0] is not between 1 and 1024
          bench ssd --file x --depth 64                   | --memory [671088640] does not hold 64 reads
          bench ssd --file x --memory 2gb                 | --memory [2147483648] is more than one chunk
          bench ssd --file x --write-share 0              | --write-share [0] is not between 1 and 90
          bench policy --capacity 1gb                     | missing required option: '--trace=PATH'
          bench policy --trace x                          | missing required option: '--capacity=SIZE'
          bench policy --trace x --capacity 1gb --role r  | --role [r] is not known
          bench policy --trace x --capacity 1gb --seeds 0 | --seeds [0] must be 1 to 101
          bench policy --trace x --capacity 1gb --role write-admission | needs a backing tier
          bench ssd --file x --rounds 0                   | --rounds [0] must be positive
          bench ssd --file x --seconds 0                  | --seconds must be positive
          bench ssd --file x --seconds -1                 | --seconds [-1.0] is not a number of seconds
          bench ssd --file x --direct maybe               | --direct [maybe] is neither on nor off
          bench ssd --file x --kill-loop 0                | --kill-loop [0] must be positive
          bench ssd --file x --kill-loop 1 --size 1mb     | --size [1048576] is less than 256mb
          bench ssd --file x --kill-loop 1 --startup 1    | --kill-loop and --startup exclude each other
          bench ssd --file x --kill-loop 1 --fio          | --fio has nothing to compare with
          bench ssd --file x --startup 0                  | --startup [0] must be positive
          bench ssd --file x --startup 1000 --size 128mb  | does not hold 1000 pages
          bench ssd --file /no/such/x --kill-loop 1       | its folder does not exist
          bench ssd --file / --kill-loop 1                | --file [/]
          config check                                    | missing required parameter: 'FILE'
          config check /no/such.yaml                      | configuration [/no/such.yaml] does not exist
          sim --plant x --keep-going                      | --keep-going has no effect beside --plant
          sim --plant x --seeds 5                         | --seeds [5] is not a range
          sync --timeout 0                                | --timeout [0]
          sim --seeds 5                                   | --seeds [5] is not a range
          sim --seeds 9..3                                | the last is below the first
          sim --seeds 1..2 --seed 1                       | exclude each other
          sim --steps 0                                   | steps [0]
          sim --threads 0                                 | threads [0]
          sim --scenario none                             | --scenario [none] is unknown: one of full
          sim --replay /no/such                           | --replay [/no/such] does not exist
          sim --seed 1 --trace-out /                      | --trace-out [/] is a folder
          sim --seed 1 --trace-out /proc/trace.jsonl      | --trace-out [/proc/trace.jsonl] cannot be written
          sim --replay /                                  | --replay [/] is no file
          sim --replay x --seed 4                         | --seed has no effect beside --replay
          sim --list-invariants --plant x                 | --plant has no effect beside --list-invariants
          sim --threads 100000                            | threads [100000] are more than 256
          sim --steps 99999999999                         | steps [99999999999] are more than
          replay --generate --out /no/such/folder/x.json  | --out [/no/such/folder/x.json] cannot be written
          replay --generate --out /proc/x.json            | --out [/proc/x.json] cannot be written
          trace generate --out /no/such/folder/x          | --out [/no/such/folder/x] cannot be written
          status --socket /etc/passwd                     | [/etc/passwd] is not a socket
          replay --generate --connect /etc/passwd         | [/etc/passwd] is not a socket
          serve --pool-size                               | --pool-size
          serve --pool-size 1gb --pool-size 2gb           | --pool-size
          """)
  void run_wrongUsage_isOneLineAndStatusTwo(String line, String problem) {
    Invocation invocation = Invocation.of(words(line));

    assertThat(invocation.err()).startsWith("orbitkv: ").contains(problem);
    assertThat(invocation.err().lines()).hasSize(1);
    assertThat(invocation.out()).isEmpty();
    assertThat(invocation.status()).isEqualTo(2);
  }

  @Test
  void replay_brokenTrace_namesFileLineAndFieldBeforeAnythingStarts() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty.jsonl"), "");

    Invocation invocation = Invocation.of("replay", "--trace", empty.toString());

    assertThat(invocation.err())
        .isEqualTo("orbitkv: trace [" + empty + "] is empty: it needs at least one request\n");
    assertThat(invocation.status()).isEqualTo(2);
  }

  @Test
  void traceInfo_brokenLine_namesIt() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("bad.jsonl"),
            "{\"timestamp\": 0, \"input_length\": -4, \"output_length\": 1, \"hash_ids\": []}\n");

    Invocation invocation = Invocation.of("trace", "info", file.toString());

    assertThat(invocation.err()).contains("line 1: field [input_length] is [-4]");
    assertThat(invocation.status()).isEqualTo(2);
  }

  @Test
  void connect_whereNobodyListens_saysWhatToDo() {
    Path nowhere = folder.resolve("none.sock");

    for (String[] arguments :
        new String[][] {
          {"status", "--socket", nowhere.toString()},
          {"metrics", "--socket", nowhere.toString()},
          {"sync", "--socket", nowhere.toString()},
          {"evict", "--socket", nowhere.toString()},
          {"policy", "list", "--socket", nowhere.toString()},
          {"policy", "swap", "warming", "none", "--socket", nowhere.toString()},
          {"policy", "revert", "warming", "--socket", nowhere.toString()},
          {"policy", "explain", "--socket", nowhere.toString()},
          {"config", "reload", "--socket", nowhere.toString()},
          {"replay", "--generate", "--connect", nowhere.toString()}
        }) {
      Invocation invocation = Invocation.of(arguments);
      assertThat(invocation.err())
          .isEqualTo(
              "orbitkv: no Manager listens on ["
                  + nowhere
                  + "]: start one with 'orbitkv serve', or name its socket\n");
      assertThat(invocation.status()).isEqualTo(1);
    }
  }

  @Test
  void replay_restartWithoutAStore_isRefused() throws IOException {
    assertThat(Invocation.of("replay", "--generate", "--restart").err())
        .isEqualTo(
            "orbitkv: --restart needs a store that outlives the Manager: name one with"
                + " --ssd-path\n");
    Path socket = Files.createFile(folder.resolve("other.sock"));
    Path config = Files.createFile(folder.resolve("c.yaml"));
    Invocation connected =
        Invocation.of(
            "replay",
            "--generate",
            "--restart",
            "--config",
            config.toString(),
            "--connect",
            socket.toString());
    assertThat(connected.err()).contains("--restart stops a Manager of the command's own");
    assertThat(connected.status()).isEqualTo(2);
    assertThat(Invocation.of("replay", "--generate", "--restart=pull-the-plug").err())
        .isEqualTo("orbitkv: --restart [pull-the-plug] must be stop or kill\n");
  }

  @Test
  void ssdPathAndSize_areThoseOfTheCache() {
    Invocation size = Invocation.of("replay", "--generate", "--ssd-size", "7xb");
    assertThat(size.err()).contains("ssd.capacity", "[7xb] is not a size");
    assertThat(size.status()).isEqualTo(2);
  }

  @Test
  void doctor_onThisMachine_saysWhatItFound() {
    Invocation doctor = Invocation.of("doctor", "--json");
    assertThat(doctor.out())
        .contains("\"verdict\"", "\"native access\"", "\"io_uring\"", "\"socket folder\"");
    Invocation wrong = Invocation.of("doctor", "--query-budget", "5x");
    assertThat(wrong.out()).contains("BAD  configuration: --query-budget").contains("do: ");
    assertThat(wrong.status()).isEqualTo(1);
  }

  @Test
  void replay_managerFlagsWithConnect_areRefused() throws IOException {
    Path socket = Files.createFile(folder.resolve("some.sock"));

    Invocation invocation =
        Invocation.of(
            "replay", "--generate", "--connect", socket.toString(), "--query-budget", "1gb");

    assertThat(invocation.err()).contains("--query-budget").contains("no effect with --connect");
    assertThat(invocation.status()).isEqualTo(2);
  }

  @Test
  void out_onAFullDevice_namesFileAndRemedyAndIsStatusOne() {
    Invocation invocation =
        Invocation.of("trace", "generate", "--requests", "5", "--out", "/dev/full");

    assertThat(invocation.err())
        .startsWith("orbitkv: --out [/dev/full] cannot be written: No space left on device; make");
    assertThat(invocation.status()).isEqualTo(1);
  }

  @Test
  void outputFile_writeThatFails_leavesNoFile() {
    Path file = folder.resolve("result.json");

    OutputFile.requireWritable("--out", file);
    assertThat(file).doesNotExist();
    assertThatThrownBy(() ->
            OutputFile.write(
                "--out",
                file,
                path -> {
                  Files.writeString(path, "half");
                  throw new IOException("No space left on device");
                }))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("--out [" + file + "] cannot be written: No space left on device");
    assertThat(file).doesNotExist();
  }

  @Test
  void outputFile_probe_keepsAFileThatIsThere() throws IOException {
    Path file = Files.writeString(folder.resolve("old.json"), "old");

    OutputFile.requireWritable("--out", file);

    assertThat(file).hasContent("old");
  }

  @Test
  void help_everyCommand_hasDescriptionAndEndsWithZero() {
    for (CommandLine command : all(Main.commandLine(writer(), writer(), new Errors(false)))) {
      List<String> words =
          new ArrayList<>(List.of(command.getCommandSpec().qualifiedName().split(" ")));
      words.removeFirst();
      words.add("--help");

      Invocation invocation = Invocation.of(words.toArray(String[]::new));

      assertThat(invocation.status()).as("%s", words).isZero();
      assertThat(invocation.out()).as("%s", words).startsWith("Usage: ");
      assertThat(command.getCommandSpec().usageMessage().description())
          .as("%s", words)
          .isNotEmpty();
      assertThat(invocation.out().lines()).as("%s", words).allMatch(text -> text.length() <= 100);
    }
  }

  @Test
  void help_underTheNameOfTheManager_namesItself() {
    System.setProperty(Main.PROGRAM_PROPERTY, "orbitkv-cache-manager");
    try {
      Invocation help = Invocation.of("serve", "--help");
      Invocation wrong = Invocation.of("serve", "--pool-sise", "1gb");

      assertThat(help.out())
          .startsWith("Usage: orbitkv-cache-manager [OPTIONS]")
          .contains("\n  orbitkv-cache-manager --config conf/orbitkv.yaml --pool-size 16gb\n")
          .doesNotContain("orbitkv serve");
      assertThat(wrong.err()).endsWith("; see 'orbitkv-cache-manager --help'\n");
    } finally {
      System.clearProperty(Main.PROGRAM_PROPERTY);
    }
  }

  @Test
  void version_printsOneLine() {
    Invocation text = Invocation.of("version");
    Invocation json = Invocation.of("version", "--json");

    assertThat(text.out()).startsWith("orbitkv ").contains("Java");
    assertThat(json.out()).startsWith("{\"version\": \"").endsWith("\"}\n");
    assertThat(text.status() + json.status()).isZero();
  }

  @Test
  void traceGenerate_sameSeed_writesTheSameLines() {
    Invocation first = Invocation.of("trace", "generate", "--requests", "20", "--seed", "9");
    Invocation second = Invocation.of("trace", "generate", "--requests", "20", "--seed", "9");

    assertThat(first.status()).isZero();
    assertThat(first.out()).isEqualTo(second.out());
    assertThat(first.out().lines())
        .hasSize(20)
        .allMatch(line -> line.startsWith("{\"timestamp\": "));
  }

  @Test
  void traceInfo_generatedTrace_readsBack() {
    Path file = folder.resolve("trace.jsonl");
    assertThat(
            Invocation.of("trace", "generate", "--requests", "50", "--out", file.toString())
                .status())
        .isZero();

    Invocation info = Invocation.of("trace", "info", file.toString(), "--json");

    assertThat(info.status()).isZero();
    assertThat(info.out()).contains("\"requests\" : 50");
  }

  private static List<CommandLine> all(CommandLine command) {
    List<CommandLine> commands = new ArrayList<>(List.of(command));
    command.getSubcommands().values().stream()
        .filter(sub -> !(sub.getCommand() instanceof CommandLine.HelpCommand))
        .forEach(sub -> commands.addAll(all(sub)));
    return commands;
  }

  private static PrintWriter writer() {
    return new PrintWriter(new StringWriter());
  }

  private static String[] words(String line) {
    return line.isEmpty() ? new String[0] : line.split(" +");
  }
}
