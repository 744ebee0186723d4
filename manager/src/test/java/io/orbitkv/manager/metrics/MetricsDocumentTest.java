package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.fixture.FakeKernel;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.NoMeters;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.PolicyHost;
import io.orbitkv.manager.policy.PolicyLimits;
import io.orbitkv.manager.policy.PolicySpec;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.session.SessionFigures;
import io.orbitkv.manager.shadow.ShadowFigures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tables of {@code docs/metrics.md} are what is exported. With {@code
 * -Dorbitkv.docs.write=true} the test writes them instead.
 */
final class MetricsDocumentTest {
  private static final Path DOCUMENT =
      Path.of(System.getProperty("orbitkv.root", ".."), "docs", "metrics.md");
  private static final String BEGIN = "<!-- generated: begin -->\n";
  private static final String END = "<!-- generated: end -->\n";

  private static final TierFacts NOWHERE = new TierFacts(TierKind.SSD, 0, 0, 0, 0, 0, 0, 0);

  @TempDir Path home;

  /** One line of a table. */
  private record Row(String name, String type, String unit, Set<String> labels, String help) {
    String line() {
      String shown = labels.isEmpty() ? "" : "`" + String.join("`, `", labels) + "`";
      return "| `" + name + "` | " + type + " | " + unit + " | " + shown + " | " + help + " |\n";
    }
  }

  @Test
  void document_andRegistry_sayTheSame() throws Exception {
    String tables = tables();
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);
    if (Boolean.getBoolean("orbitkv.docs.write")) {
      Files.writeString(DOCUMENT, document.substring(0, begin) + tables + document.substring(end));
      return;
    }
    assertThat(document.substring(begin, end))
        .as("docs/metrics.md: run this test with -Dorbitkv.docs.write=true")
        .isEqualTo(tables);
  }

  @Test
  void kernelCounters_haveEachANameOfTheirOwn() {
    Set<String> names = new LinkedHashSet<>();
    for (KernelCounter counter : KernelCounter.values()) {
      KernelCounterMetrics.Export export = KernelCounterMetrics.of(counter);
      assertThat(names.add(export.name() + List.of(export.tags()))).as("%s", counter).isTrue();
    }
  }

  @Test
  void sums_nameWhatIsExported() {
    Set<String> names = new LinkedHashSet<>(own().keySet());
    for (MetricSum sum : MetricSum.ALL) {
      assertThat(names).containsAll(sum.names());
    }
  }

  private String tables() throws Exception {
    Map<String, Row> own = own();
    Map<String, Row> plugins = new TreeMap<>();
    try (ManagerUnderTest under = new ManagerUnderTest(home)) {
      JsonNode root = JsonMapper.builder().build().readTree(under.manager.metrics(true));
      for (JsonNode metric : root.get("metrics")) {
        Row row = row(metric);
        if (row.labels().contains(MetricFamilies.PLUGIN)) {
          plugins.put(row.name(), row);
        } else {
          assertThat(own).as(row.name()).containsEntry(row.name(), row);
        }
      }
    }
    StringBuilder text = new StringBuilder("\n## The Manager's own\n\n");
    table(own.values(), text);
    text.append("\n## Of the plugins that come with it\n\n");
    table(plugins.values(), text);
    text.append("\n## What adds up\n\n| sum | of | holds |\n|---|---|---|\n");
    for (MetricSum sum : MetricSum.ALL) {
      text.append("| `").append(sum.whole()).append("` | `");
      text.append(String.join("` + `", sum.parts()));
      text.append("` | ").append(sum.always() ? "in every export" : "at rest").append(" |\n");
    }
    return text.append('\n').toString();
  }

  /** With everything that there can be, such as a backing tier. */
  private static Map<String, Row> own() {
    ManagerMeterRegistry registry = new ManagerMeterRegistry(() -> 0);
    Picture picture =
        new Picture(
            FakeKernel.emptyStatus(),
            List.of(),
            List.of(PolicyFigures.builtIn("cutoff", "default", "none", 0)),
            0,
            new Picture.Around(
                0,
                new SessionFigures(0, 0, Map.of(), 0, 0, 0),
                100,
                0,
                0,
                0,
                false,
                new BackingUsage(1, 0, 0, 0, 0, ""),
                Journal.inMemory(16, 16).figures(),
                shadows()));
    ManagerMeters.register(registry, () -> picture, List.of("host"), true);
    assertThat(new DispatcherMeters(registry).untimedOperations()).isZero();
    List<MetricFamily> families =
        new ArrayList<>(PolicyFamilies.of(picture.policies(), picture.around().journal()));
    families.addAll(ShadowFamilies.of(picture.around().shadows()));
    try (PolicyHost _ = policies(registry)) {
      families.addAll(MetricFamilies.of(registry));
    }
    String json = new MetricsJson().of(families);
    Map<String, Row> rows = new TreeMap<>();
    for (JsonNode metric : JsonMapper.builder().build().readTree(json).get("metrics")) {
      Row row = row(metric);
      rows.put(row.name(), row);
    }
    return rows;
  }

  /** With a shadow beside what serves: there is a regret. */
  private static ShadowFigures shadows() {
    return new ShadowFigures(
        "running",
        "",
        1,
        "test",
        0.25,
        1,
        0,
        16,
        false,
        new ShadowFigures.Lookups(0, 0, 0, 0, 0),
        List.of(
            new ShadowFigures.Mini("retention.dram", "lru", "", true, "running", "", 0, 0, 0, 0, 0),
            new ShadowFigures.Mini(
                "retention.dram", "none", "", false, "running", "", 0, 0, 0, 0, 0)));
  }

  /** With a policy in a slot: its calls are timed. */
  private static PolicyHost policies(ManagerMeterRegistry registry) {
    PolicyHost host =
        new PolicyHost(
            new PolicyHost.Parts(
                PolicyLimits.DEFAULT,
                () -> 0,
                () -> 0,
                new SplittableRandom(1),
                registry,
                Journal.inMemory(16, 16),
                () -> NOWHERE,
                () -> NOWHERE,
                0));
    host.change(
        Map.of(
            PolicySlot.LOOKAHEAD,
            SlotPlan.of(
                List.of(
                    new PolicySpec(
                        "test",
                        "test",
                        "",
                        "test",
                        context -> (LookaheadPolicy) queue -> List.of(),
                        epoch -> new PolicySpec.InstanceMeters(new NoMeters(), () -> {}),
                        System.getLogger("test"),
                        null)))),
        "test");
    return host;
  }

  private static Row row(JsonNode metric) {
    List<String> labels =
        new ArrayList<>(metric.get("samples").get(0).get("labels").propertyNames());
    String help = metric.get("help").stringValue();
    assertThat(help).as(metric.get("name").stringValue()).isNotEmpty();
    return new Row(
        metric.get("name").stringValue(),
        metric.get("type").stringValue(),
        metric.get("unit").stringValue(),
        new LinkedHashSet<>(labels),
        help);
  }

  private static void table(Iterable<Row> rows, StringBuilder text) {
    text.append("| name | type | unit | labels | meaning |\n|---|---|---|---|---|\n");
    rows.forEach(row -> text.append(row.line()));
  }
}
