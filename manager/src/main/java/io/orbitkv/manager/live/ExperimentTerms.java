package io.orbitkv.manager.live;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.ConfigurationFile;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.ConfigurationText;
import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.LiveMeasure;
import io.orbitkv.manager.experiment.LivePartition;
import io.orbitkv.manager.experiment.LiveTerms;
import io.orbitkv.manager.experiment.PolicyPatch;
import io.orbitkv.manager.experiment.Relative;
import io.orbitkv.manager.experiment.Schedule;
import io.orbitkv.manager.experiment.Variants;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Durations;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a request what an experiment rests on, and refuses what makes no sense or would mislead.
 */
final class ExperimentTerms {
  private final PolicyCatalog catalog;
  private final ExperimentRequest request;
  private final Map<PolicySlot, List<PolicyCatalog.Named>> current;
  private final @Nullable ArmSplit divided;

  /**
   * What is fixed.
   *
   * @param a the section {@code policies} of A
   * @param b that of B
   * @param differing slots
   */
  record Checked(
      ExperimentRecord.Terms terms,
      ConfigNode.Mapping a,
      ConfigNode.Mapping b,
      Set<PolicySlot> differing) {}

  private record Written(ExperimentPlan plan, ConfigNode.Mapping a, ConfigNode.Mapping b) {}

  /**
   * @param divided how the Manager's tiers are divided; null when they are not
   */
  ExperimentTerms(
      PolicyCatalog catalog,
      ExperimentRequest request,
      Map<PolicySlot, List<PolicyCatalog.Named>> current,
      @Nullable ArmSplit divided) {
    this.divided = divided;
    this.catalog = catalog;
    this.request = request;
    this.current = current;
  }

  /**
   * Fixes the terms.
   *
   * @param turnover of the cache; empty when it is not known
   * @throws IllegalArgumentException or {@link ConfigException} saying what is wrong
   */
  Checked check(Optional<Duration> turnover) {
    Written written = written();
    ExperimentPlan plan = written.plan();
    Set<PolicySlot> differing = new TreeSet<>(PolicyPatch.differing(written.a(), written.b()));
    LiveTerms live = plan.live();
    Assignment assignment = assignment(plan.assignment(), live);
    Duration block = assignment.slot();
    boolean turns = assignment.isolation() == Isolation.TIME;
    requireWhatServes(written, differing);
    List<String> notes = new ArrayList<>();
    requireSound(plan, assignment, differing, turnover, notes);
    boolean shortBlocks = request.shortBlocks() || live.shortBlocks();
    Duration horizon =
        request.horizon().isEmpty()
            ? live.horizon()
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "how long the variants are compared is fixed before the start: say --for"
                            + " DURATION, or write ab.live.for"))
            : duration("--for", request.horizon());
    Optional<Duration> same =
        request.same().isEmpty() ? live.same() : Optional.of(duration("--aa", request.same()));
    int settle = settleBlocks(assignment, block, differing, turnover);
    if (settle > 0) {
      notes.add(
          "The first ["
              + settle
              + "] blocks after the variants have begun to differ, and after the cells have"
              + " exchanged their policies, do not count: caches still hold what the policies"
              + " before have left.");
    }
    Schedule schedule = Schedule.of(block, horizon, same, turns, shortBlocks, settle);
    boolean areShort = block.compareTo(LiveTerms.LEAST_BLOCK) < 0;
    if (areShort) {
      notes.add(
          "Blocks of "
              + Durations.format(block)
              + " are shorter than 5m, as was asked for: what one finds depends on what the one"
              + " before left, so that intervals are narrower than the truth.");
    }
    double fallbackShare =
        request.fallbacks().isEmpty()
            ? live.fallbackShare()
            : ExperimentReader.share(request.fallbacks());
    if (fallbackShare > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "Blocks count although defaults stood in for policies in up to %.4g %% of their"
                  + " questions, as was asked for.",
              fallbackShare * 100));
    }
    Optional<Relative> primary = primary(plan);
    requireMeasures(primary, plan.guards(), assignment.isolation());
    Map<String, String> guards = new LinkedHashMap<>();
    plan.guards().forEach(guard -> guards.put(guard.measure(), guard.percent()));
    primary.ifPresent(decides -> guards.remove(decides.measure()));
    return new Checked(
        new ExperimentRecord.Terms(
            plan.name(),
            assignment.isolation(),
            ArmSplit.of(assignment),
            schedule,
            areShort,
            fallbackShare,
            ConfigurationText.of(written.a()),
            ConfigurationText.of(written.b()),
            ConfigurationText.of(catalog.section()),
            differing.stream().map(PolicySlot::key).toList(),
            primary.map(Relative::measure).orElse(""),
            primary.map(Relative::percent).orElse(""),
            guards,
            System.currentTimeMillis(),
            notes),
        written.a(),
        written.b(),
        differing);
  }

  /** In each of which the cells' content is replaced once at least. */
  private static int settleBlocks(
      Assignment assignment,
      Duration block,
      Set<PolicySlot> differing,
      Optional<Duration> turnover) {
    if (assignment.isolation() != Isolation.PARTITION || Isolation.sharable(differing)) {
      return 0;
    }
    long blocks = Math.ceilDiv(turnover.orElse(block).toNanos(), block.toNanos());
    return Math.clamp(blocks, 1, Schedule.MOST_BLOCKS);
  }

  // ---- what is written -----------------------------------------------------------------------

  private Written written() {
    if (!request.sourceB().isEmpty()) {
      ConfigNode.Mapping a = parse(request.source(), request.yaml());
      Variants variants = Variants.of(a, parse(request.sourceB(), request.yamlB()), List.of());
      ArmSplit split = divided == null ? ArmSplit.of(Assignment.DEFAULT) : divided;
      Assignment turns =
          new Assignment(
              split.by(),
              divided == null ? Isolation.TIME : Isolation.PARTITION,
              split.percent(),
              split.salt(),
              Assignment.DEFAULT.slot());
      ExperimentPlan plan =
          new ExperimentPlan(
              stem(request.source()) + "-" + stem(request.sourceB()),
              ConfigNode.Mapping.empty(a.place()),
              ConfigNode.Mapping.empty(a.place()),
              turns,
              a.place(),
              Optional.empty(),
              List.of(),
              LiveTerms.DEFAULT);
      return new Written(plan, Variants.policies(variants.a()), Variants.policies(variants.b()));
    }
    ConfigNode.Mapping section = catalog.experiment();
    ConfigNode.Mapping base = catalog.section();
    if (!request.source().isEmpty()) {
      ConfigNode.Mapping root = parse(request.source(), request.yaml());
      section =
          root.entry(ExperimentReader.KEY).map(ConfigNode.Entry::value).orElse(null)
                  instanceof ConfigNode.Mapping mapping
              ? mapping
              : ConfigNode.Mapping.empty(root.place());
      if (root.entry("policies").isPresent()) {
        base = Variants.policies(root);
      }
    }
    if (section.entries().isEmpty()) {
      throw new IllegalArgumentException(
          (request.source().isEmpty()
                  ? "the Manager's configuration"
                  : "configuration [" + request.source() + "]")
              + " has no section ab: write one, or compare two configurations with --a and --b");
    }
    Problems problems = new Problems();
    ExperimentPlan plan = ExperimentReader.read(section, problems);
    problems.throwIfAny();
    return new Written(
        plan, PolicyPatch.apply(base, plan.patchOfA()), PolicyPatch.apply(base, plan.patchOfB()));
  }

  private static ConfigNode.Mapping parse(String source, String yaml) {
    return ConfigurationFile.parse(source, yaml.getBytes(StandardCharsets.UTF_8));
  }

  private static String stem(String source) {
    String name = source.substring(source.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    String stem = dot > 0 ? name.substring(0, dot) : name;
    String plain = stem.replaceAll("[^A-Za-z0-9._-]", "-");
    return plain.isEmpty() ? "variant" : plain.substring(0, Math.min(30, plain.length()));
  }

  // Its slot is a block's length, whether that is a turn or not.
  private Assignment assignment(Assignment written, LiveTerms live) {
    Isolation isolation =
        request.isolation().isEmpty()
            ? written.isolation()
            : constant("--isolation", Isolation.values(), request.isolation());
    Duration block = isolation == Isolation.TIME ? written.slot() : live.block();
    return new Assignment(
        request.by().isEmpty()
            ? written.by()
            : constant("--by", Assignment.By.values(), request.by()),
        isolation,
        written.percentOfA(),
        request.salt().isEmpty() ? written.salt() : salt(request.salt()),
        request.block().isEmpty() ? block : duration("--block", request.block()));
  }

  private static <E extends Enum<E>> E constant(String flag, E[] values, String text) {
    List<String> keys = new ArrayList<>();
    for (E value : values) {
      String key = value.name().toLowerCase(Locale.ROOT);
      if (key.equals(text)) {
        return value;
      }
      keys.add(key);
    }
    throw new IllegalArgumentException(
        flag + " [" + text + "] is none of " + String.join(", ", keys));
  }

  private static long salt(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException noNumber) {
      throw new IllegalArgumentException("--salt [" + text + "] is not a whole number", noNumber);
    }
  }

  private static Duration duration(String flag, String text) {
    try {
      Duration read = Durations.parse(text);
      if (read.isPositive()) {
        return read;
      }
    } catch (IllegalArgumentException | ArithmeticException problem) {
      throw new IllegalArgumentException(flag + " " + problem.getMessage(), problem);
    }
    throw new IllegalArgumentException(flag + " [" + text + "] must be longer than nothing");
  }

  // ---- what is refused -----------------------------------------------------------------------

  private void requireWhatServes(Written written, Set<PolicySlot> differing) {
    Map<PolicySlot, List<PolicyCatalog.Named>> configured = catalog.named(catalog.section());
    Map<PolicySlot, List<PolicyCatalog.Named>> ofA = catalog.named(written.a());
    for (PolicySlot slot : PolicySlot.values()) {
      String runs = text(current.get(slot));
      if (!runs.equals(text(configured.get(slot)))) {
        throw new IllegalArgumentException(
            "["
                + slot.key()
                + "] runs ["
                + runs
                + "], and the configuration names ["
                + text(configured.get(slot))
                + "], to which an experiment returns: revert the swap ('orbitkv policy revert "
                + slot.key()
                + "'), or write it down and reload ('orbitkv config reload')");
      }
      if (!differing.contains(slot) && !runs.equals(text(ofA.get(slot)))) {
        throw new IllegalArgumentException(
            "both variants name ["
                + text(ofA.get(slot))
                + "] in ["
                + slot.key()
                + "], where the Manager runs ["
                + runs
                + "]: an experiment changes what differs alone; write what the Manager runs");
      }
    }
  }

  private static String text(@Nullable List<PolicyCatalog.Named> named) {
    if (named == null || named.isEmpty()) {
      return "default";
    }
    return String.join(
        ", ",
        named.stream()
            .map(each ->
                each.settings().entries().isEmpty()
                    ? each.policy()
                    : each.policy()
                        + " "
                        + ConfigurationText.of(each.settings()).replaceAll("\\s+", " "))
            .map(each -> each.equals("none") ? "default" : each)
            .toList());
  }

  private void requireSound(
      ExperimentPlan plan,
      Assignment assignment,
      Set<PolicySlot> differing,
      Optional<Duration> turnover,
      List<String> notes) {
    Place place = plan.assignmentPlace();
    Optional<String> undividable = LivePartition.refusal(assignment, divided);
    if (undividable.isPresent()) {
      throw refused(place, undividable.get());
    }
    boolean content = !Isolation.sharable(differing);
    Duration known = content ? turnover.orElse(Duration.ZERO) : Duration.ZERO;
    Optional<String> refusal = assignment.isolation().refusal(differing, assignment.slot(), known);
    if (refusal.isPresent()) {
      throw refused(place, refusal.get());
    }
    if (content && turnover.isEmpty()) {
      notes.add(
          "How long the cache takes to replace its content was not known at the start, since"
              + " nothing had come into a tier: "
              + (assignment.isolation() == Isolation.PARTITION
                  ? "the time to settle may be too short for it."
                  : "turns may be too short for it."));
    } else if (content) {
      notes.add(
          "At the start the cache took "
              + Durations.format(Duration.ofSeconds(Math.max(1, known.toSeconds())))
              + " to replace its content.");
    }
  }

  private static ConfigException refused(Place place, String reason) {
    return new ConfigException(
        List.of(ConfigProblem.at(place, ExperimentReader.KEY + ".assign.isolation", reason)));
  }

  private Optional<Relative> primary(ExperimentPlan plan) {
    if (request.primary().isEmpty() && request.margin().isEmpty()) {
      return plan.primary();
    }
    Optional<Relative> written = plan.primary();
    String measure =
        request.primary().isEmpty()
            ? written.map(Relative::measure).orElse(LiveMeasure.PREFIX_HIT_RATIO.key())
            : request.primary();
    String margin =
        request.margin().isEmpty() ? written.map(Relative::percent).orElse("2%") : request.margin();
    return Optional.of(new Relative(measure, margin, Place.flag("--primary")));
  }

  private static void requireMeasures(
      Optional<Relative> primary, List<Relative> guards, Isolation isolation) {
    Problems problems = new Problems();
    primary.ifPresent(decides ->
        LiveMeasure.problem(decides, isolation, false)
            .ifPresent(problem -> problems.add(decides.place(), "ab.primary", problem)));
    for (Relative guard : guards) {
      LiveMeasure.problem(guard, isolation, true)
          .ifPresent(
              problem -> problems.add(guard.place(), "ab.guards." + guard.measure(), problem));
    }
    problems.throwIfAny();
  }
}
