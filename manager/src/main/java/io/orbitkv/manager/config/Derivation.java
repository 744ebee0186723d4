package io.orbitkv.manager.config;

import io.orbitkv.manager.experiment.LivePartition;
import io.orbitkv.manager.plugin.PluginTrust;
import io.orbitkv.manager.settings.BoundValue;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.manager.settings.Share;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Works out what the settings mean on this machine, and checks what concerns several of them. */
final class Derivation {
  private static final long AUTO_POOL_LARGEST_BYTES = 64L << 30;
  private static final int AUTO_POOL_DIVISOR = 4;
  private static final long HUGE_PAGE_BYTES = 2L << 20;
  private static final String HEAP_TABLES = "(heap for the pool)";
  private static final long SMALLEST_POOL_BYTES = 1L << 20;
  // The size of sun_path, less the zero byte at its end.
  private static final int LONGEST_SOCKET_PATH_BYTES = 107;
  private static final int LARGEST_PORT = 65_535;

  private final ManagerSettings settings;
  private final List<BoundValue> values;
  private final Set<String> failed;
  private final HostFacts facts;
  private final Problems problems;
  private final @Nullable ConfigSource source;
  private final Map<String, Derived> derived = new LinkedHashMap<>();

  private record Derived(String effective, String reason) {}

  Derivation(
      ManagerSettings settings,
      SettingsBinder binder,
      HostFacts facts,
      Problems problems,
      @Nullable ConfigSource source) {
    this.source = source;
    this.settings = settings;
    this.values = binder.values();
    this.failed = binder.failed();
    this.facts = facts;
    this.problems = problems;
  }

  ManagerConfig config() {
    long poolBytes = pool();
    HeapTables tables = HeapTables.of(poolBytes, facts.heapBytes(), storeBytes());
    long budgetBytes = budget(poolBytes);
    long instanceBudgetBytes = instanceBudget(budgetBytes);
    Path socket = socket();
    Path directory = pluginsDirectory();
    Path workDirectory = workDirectory();
    PluginTrust trust = trust();
    InetSocketAddress metrics = metricsAddress();
    PolicyChoices policies = PolicyChoices.of(settings.policies(), problems);
    experiment(policies.shadows());
    checkStore();
    checkUsers();
    return new ManagerConfig(
        settings,
        socket,
        poolBytes,
        tables.maxPages(),
        tables.maxStoredPages(),
        budgetBytes,
        instanceBudgetBytes,
        metrics,
        directory,
        workDirectory,
        trust,
        policies.choices(),
        policies.journal(),
        policies.shadows(),
        shown(tables, policies),
        source);
  }

  private long pool() {
    String key = "memory.pool-size";
    if (hasFailed(key)) {
      return 0;
    }
    long limitBytes = facts.memoryLimitBytes();
    long bytes;
    String reason;
    switch (settings.memory().poolSize()) {
      case Share.Auto _ -> {
        long quarter = limitBytes / AUTO_POOL_DIVISOR;
        long heapAllowsBytes = HeapTables.mostPoolBytes(facts.heapBytes());
        boolean capped = quarter > AUTO_POOL_LARGEST_BYTES;
        bytes = Math.min(quarter, AUTO_POOL_LARGEST_BYTES);
        reason =
            (capped ? "at most 64gb of" : "a quarter of")
                + " the memory limit of "
                + Amounts.human(limitBytes);
        if (bytes > heapAllowsBytes) {
          bytes = heapAllowsBytes;
          reason =
              "what the heap of "
                  + Amounts.human(facts.heapBytes())
                  + " has room to know; ORBITKV_HEAP raises it";
        }
        bytes = bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        derived.put(key, new Derived(Amounts.human(bytes), reason));
      }
      case Share.Size size -> bytes = size.size().bytes();
      case Share.Percent percent -> {
        problem(key, "[" + percent + "] is not a size: write auto or a size such as 4gb");
        return 0;
      }
    }
    if (bytes < SMALLEST_POOL_BYTES) {
      problem(key, "[" + Amounts.human(bytes) + "] is too small: use at least 1mb");
      return 0;
    }
    checkFits(key, bytes);
    checkTables(key, bytes);
    return bytes;
  }

  /** Capacity of the backing tier; that of another tier than ssd is its plugin's affair. */
  private long storeBytes() {
    boolean paths = !settings.ssd().paths().isEmpty();
    return switch (settings.backing().tier()) {
      case BackingSection.NONE -> 0;
      case BackingSection.AUTO -> paths ? settings.ssd().capacity().bytes() : 0;
      default -> paths ? settings.ssd().capacity().bytes() : Long.MAX_VALUE;
    };
  }

  private void checkTables(String key, long poolBytes) {
    long heapBytes = facts.heapBytes();
    HeapTables tables = HeapTables.of(poolBytes, heapBytes, storeBytes());
    if (tables.fit(heapBytes)) {
      return;
    }
    problem(
        key,
        "["
            + Amounts.human(poolBytes)
            + "] needs more Java heap: tags of the pool "
            + Amounts.human(tables.tagBytes())
            + " + table of pages "
            + Amounts.human(tables.tableBytes())
            + " = "
            + Amounts.human(tables.bytes())
            + ", the heap is "
            + Amounts.human(heapBytes)
            + " and the tags may take a third of it; start with ORBITKV_HEAP="
            + (tables.roomyHeapBytes() >> 20)
            + "m or lower the pool");
  }

  private void checkFits(String key, long poolBytes) {
    long heapBytes = facts.heapBytes();
    long nativeBytes = facts.nativeOverheadBytes();
    long limitBytes = facts.memoryLimitBytes();
    long restBytes = limitBytes - heapBytes - nativeBytes;
    if (poolBytes <= restBytes) {
      return;
    }
    double sum = (double) poolBytes + heapBytes + nativeBytes;
    problem(
        key,
        "["
            + Amounts.human(poolBytes)
            + "] does not fit: pool "
            + Amounts.human(poolBytes)
            + " + heap "
            + Amounts.human(heapBytes)
            + " + native overhead "
            + Amounts.human(nativeBytes)
            + " = "
            + Amounts.human((long) sum)
            + ", and the memory limit is "
            + Amounts.human(limitBytes)
            + (restBytes >= SMALLEST_POOL_BYTES
                ? "; set it to at most " + (restBytes >> 20) + "mb"
                : "; raise the limit or lower the heap"));
  }

  private long budget(long poolBytes) {
    String key = "query.budget";
    long bytes;
    switch (settings.query().budget()) {
      case Share.Percent percent -> {
        bytes = (long) (poolBytes * (percent.percent() / 100));
        derived.put(
            key,
            new Derived(
                Amounts.human(bytes), percent + " of the pool of " + Amounts.human(poolBytes)));
      }
      case Share.Size size -> bytes = size.size().bytes();
      case Share.Auto _ -> {
        problem(key, "[auto] is neither a size nor a percentage: write one such as 75%");
        return 0;
      }
    }
    if (poolBytes == 0 || hasFailed(key)) {
      return 0; // The problem is told already.
    }
    if (bytes <= 0) {
      problem(key, "[" + settings.query().budget() + "] must be above 0");
      return 0;
    }
    if (bytes > poolBytes) {
      problem(
          key,
          "["
              + settings.query().budget()
              + "] is larger than the pool of "
              + Amounts.human(poolBytes)
              + " (memory.pool-size): lower it or enlarge the pool");
      return 0;
    }
    return bytes;
  }

  private long instanceBudget(long budgetBytes) {
    String key = "query.instance-budget";
    long bytes =
        switch (settings.query().instanceBudget()) {
          case Share.Auto _ -> budgetBytes;
          case Share.Percent percent -> (long) (budgetBytes * (percent.percent() / 100));
          case Share.Size size -> size.size().bytes();
        };
    switch (settings.query().instanceBudget()) {
      case Share.Auto _ ->
          derived.put(key, new Derived(Amounts.human(bytes), "the whole query.budget"));
      case Share.Percent percent ->
          derived.put(key, new Derived(Amounts.human(bytes), percent + " of query.budget"));
      case Share.Size _ -> {}
    }
    if (budgetBytes == 0 || hasFailed(key)) {
      return 0; // The problem is told already.
    }
    if (bytes <= 0) {
      problem(key, "[" + settings.query().instanceBudget() + "] must be above 0");
    } else if (bytes > budgetBytes) {
      problem(
          key,
          "["
              + settings.query().instanceBudget()
              + "] is larger than query.budget of "
              + Amounts.human(budgetBytes)
              + ": lower it or raise that");
    }
    return bytes;
  }

  private Path socket() {
    String key = "socket";
    Path path;
    if (settings.socket().equals("auto")) {
      Optional<Path> runtime = facts.directory("XDG_RUNTIME_DIR");
      path =
          runtime
              .map(directory -> directory.resolve("orbitkv"))
              .orElseGet(facts::temporary)
              .resolve("manager.sock");
      derived.put(
          key,
          new Derived(
              path.toString(),
              runtime.isPresent() ? "in $XDG_RUNTIME_DIR" : "$XDG_RUNTIME_DIR is not set"));
    } else {
      path = path(key, settings.socket());
    }
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST_SOCKET_PATH_BYTES) {
      problem(
          key,
          "["
              + path
              + "] has ["
              + bytes
              + "] bytes, and a Unix socket's path has at most ["
              + LONGEST_SOCKET_PATH_BYTES
              + "]: choose a shorter one");
    }
    return path;
  }

  private Path pluginsDirectory() {
    String key = "plugins.directory";
    if (!settings.plugins().directory().equals("auto")) {
      return path(key, settings.plugins().directory());
    }
    Path path = facts.home().resolve("plugins");
    derived.put(key, new Derived(path.toString(), "plugins/ of the installation"));
    return path;
  }

  private Path workDirectory() {
    String key = "plugins.work-directory";
    if (!settings.plugins().workDirectory().equals("auto")) {
      return path(key, settings.plugins().workDirectory());
    }
    Optional<Path> cache =
        facts
            .directory("XDG_CACHE_HOME")
            .or(() ->
                facts
                    .directory("HOME")
                    .filter(Files::isWritable)
                    .map(home -> home.resolve(".cache")))
            .map(directory -> directory.resolve("orbitkv"));
    Path path = cache.orElseGet(facts::temporary).resolve("plugins");
    derived.put(
        key,
        new Derived(
            path.toString(),
            cache.isPresent() ? "in the user's cache folder" : "no cache folder of the user"));
    return path;
  }

  private Path path(String key, String text) {
    try {
      if (text.isBlank()) {
        problem(key, "[" + text + "] is not a path: write one or auto");
        return Path.of("");
      }
      return Path.of(text).toAbsolutePath().normalize();
    } catch (InvalidPathException notPath) {
      problem(key, "[" + text + "] is not a path: " + notPath.getReason());
      return Path.of("");
    }
  }

  private PluginTrust trust() {
    Map<String, String> digests = settings.plugins().digests();
    digests.forEach((id, digest) -> {
      if (!digest.matches("[0-9a-fA-F]{64}")) {
        problem(
            "plugins.digests",
            "[" + id + ": " + digest + "] is not a SHA-256: write its 64 hexadecimal digits");
      }
    });
    return switch (settings.plugins().trust()) {
      case ANY -> new PluginTrust.Any();
      case PINNED -> new PluginTrust.Pinned(digests);
    };
  }

  private @Nullable InetSocketAddress metricsAddress() {
    String text = settings.metrics().prometheus().strip();
    InetAddress address;
    try {
      // Literal: a name may mean another address tomorrow.
      address = InetAddress.ofLiteral(settings.metrics().address().strip());
    } catch (IllegalArgumentException notAddress) {
      problem(
          "metrics.address",
          "[" + settings.metrics().address() + "] is no IP address: write one such as 127.0.0.1");
      return null;
    }
    if (text.equals(MetricsSection.OFF)) {
      return null;
    }
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > LARGEST_PORT) {
      problem(
          "metrics.prometheus",
          "[" + text + "] is no port: write a number up to " + LARGEST_PORT + ", or off");
      return null;
    }
    return new InetSocketAddress(address, Integer.parseInt(text));
  }

  private void experiment(ShadowChoices shadows) {
    ExperimentCheck.check(settings.ab(), settings.policies(), problems)
        .ifPresent(plan -> {
          derived.put(
              ExperimentCheck.KEY,
              new Derived(
                  "experiment [" + plan.name() + "]",
                  ExperimentCheck.onLiveTraffic(plan, settings.policies())));
          if (!shadows.shadows().isEmpty() && LivePartition.of(plan.assignment()).isPresent()) {
            problems.add(
                shadows.shadows().getFirst().place(),
                ShadowChoices.KEY,
                "shadows are of one cache, and ab.assign.isolation: partition divides this Manager"
                    + " into two: take the shadows out, or use another isolation");
          }
        });
  }

  private void checkStore() {
    if (hasFailed("ssd.paths") || hasFailed("backing.tier")) {
      return;
    }
    Set<Path> seen = new HashSet<>();
    for (String path : settings.ssd().paths()) {
      if (!seen.add(path("ssd.paths", path))) {
        problem("ssd.paths", "[" + path + "] is named twice: leave one out");
      }
    }
    // A flag that would do nothing is a mistake; a line of the file may wait for its path.
    String key = "ssd.capacity";
    boolean paths = !settings.ssd().paths().isEmpty();
    if (!paths && origin(key) instanceof Origin.Flag) {
      problem(key, "does nothing without a path: add --ssd-cache-path or leave it out");
    }
    checkBackingTier(paths);
  }

  private void checkBackingTier(boolean paths) {
    String key = "backing.tier";
    String tier = settings.backing().tier();
    if (tier.isBlank()) {
      problem(key, "[" + tier + "] is no name: write that of a backing tier, auto or none");
    } else if (tier.equals(BackingSection.AUTO)) {
      derived.put(
          key,
          paths
              ? new Derived(PluginBinding.SSD_TIER, "ssd.paths names a path")
              : new Derived(BackingSection.NONE, "ssd.paths names no path"));
    } else if (!paths && tier.equals(PluginBinding.SSD_TIER)) {
      problem(key, "[" + tier + "] needs a path: name one in ssd.paths, or with --ssd-cache-path");
    } else if (paths && !tier.equals(PluginBinding.SSD_TIER)) {
      problem(
          key,
          "[" + tier + "] leaves ssd.paths without effect: write auto, or leave the paths out");
    }
  }

  private void checkUsers() {
    String key = "sessions.allowed-users";
    UserPrincipalLookupService users = FileSystems.getDefault().getUserPrincipalLookupService();
    for (String user : settings.sessions().allowedUsers()) {
      try {
        UserPrincipal _ = users.lookupPrincipalByName(user);
      } catch (UserPrincipalNotFoundException unknown) {
        problem(
            key, "[" + user + "] is no user of this machine: correct the name, or leave it out");
      } catch (IOException failure) {
        problem(key, "[" + user + "] cannot be looked up: " + failure.getMessage());
      }
    }
  }

  /**
   * Whether a key, or a section that it is in, has its default because what is written is wrong.
   */
  private boolean hasFailed(String key) {
    return failed.contains(key) || failed.contains(key.substring(0, key.indexOf('.')));
  }

  private Origin origin(String key) {
    return values.stream()
        .filter(value -> value.info().key().equals(key))
        .map(BoundValue::origin)
        .findFirst()
        .orElseGet(Origin.Default::new);
  }

  private void problem(String key, String message) {
    problems.add(new ConfigProblem(where(origin(key)), key, message));
  }

  static String where(Origin origin) {
    return switch (origin) {
      case Origin.Default _ -> "";
      case Origin.File file -> file.place().toString();
      case Origin.Flag flag -> flag.flag();
    };
  }

  private List<ShownValue> shown(HeapTables tables, PolicyChoices policies) {
    List<ShownValue> shown = new ArrayList<>();
    for (BoundValue value : values) {
      String key = value.info().key();
      if (key.equals(PolicyChoices.KEY)) {
        shown.addAll(policies.shown());
        continue;
      }
      Derived means = derived.getOrDefault(key, new Derived(value.text(), ""));
      shown.add(
          new ShownValue(key, value.text(), value.origin(), means.effective(), means.reason()));
      if (key.equals("memory.pool-size")) {
        shown.add(shown(tables, value.origin()));
      }
    }
    return shown;
  }

  // Not a key: it follows from the pool and the heap, and bounds what small pages can fill.
  private ShownValue shown(HeapTables tables, Origin origin) {
    return new ShownValue(
        HEAP_TABLES,
        "derived",
        origin,
        Amounts.human(tables.bytes()),
        "table of at most "
            + tables.maxPages()
            + " pages "
            + Amounts.human(tables.tableBytes())
            + (tables.maxStoredPages() == 0
                ? ""
                : " + index of at most "
                    + tables.maxStoredPages()
                    + " stored pages "
                    + Amounts.human(tables.storedBytes()))
            + " + tags of the pool "
            + Amounts.human(tables.tagBytes())
            + ", of a heap of "
            + Amounts.human(facts.heapBytes()));
  }
}
