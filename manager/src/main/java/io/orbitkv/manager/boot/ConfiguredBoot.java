package io.orbitkv.manager.boot;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.manager.config.JournalSection;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.QuerySection;
import io.orbitkv.manager.config.SessionsSection;
import io.orbitkv.manager.config.ShownValue;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.policy.JournalSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Starts the Manager that a configuration describes, with the plugins that it names. */
public final class ConfiguredBoot {
  private static final String POOL_SIZE_KEY = "memory.pool-size";

  private ConfiguredBoot() {}

  /**
   * Starts everything and lets clients in.
   *
   * @throws ManagerException when something is in the way; nothing is left behind
   */
  public static Boot start(ManagerConfig config, ManagerEnvironment environment)
      throws ManagerException {
    return Boot.start(
        settings(config),
        environment,
        meters -> PluginExtensions.open(config, environment, meters));
  }

  static BootSettings settings(ManagerConfig config) {
    SessionsSection sessions = config.settings().sessions();
    return new BootSettings(
        config.socket(),
        config.settings().socket().equals("auto"),
        config.metricsAddress(),
        config.settings().log().level().name().toLowerCase(Locale.ROOT),
        config.poolBytes(),
        poolReason(config),
        config.maxPages(),
        new BudgetLimits(config.budgetBytes(), config.instanceBudgetBytes()),
        config.settings().memory().tier(),
        config.settings().copiers(),
        sessions.max(),
        sessions.boardRecords(),
        sessions.replyQueue(),
        Math.toIntExact(sessions.maxFrame().bytes()),
        sessions.allowedUsers(),
        config.backingTier().orElse(""),
        config.reads(),
        config.writes(),
        readLimits(config.settings().query()),
        journal(config.journal()),
        config.settings().engine().prefillTokensPerSecond(),
        config.cells().orElse(null));
  }

  private static JournalSettings journal(JournalSection journal) {
    String file = journal.file();
    return new JournalSettings(
        journal.decisions(),
        journal.sample(),
        file.equals(JournalSection.NONE) ? null : Path.of(file).toAbsolutePath().normalize(),
        journal.maxBytes().bytes());
  }

  private static String poolReason(ManagerConfig config) {
    for (ShownValue value : config.values()) {
      if (value.key().equals(POOL_SIZE_KEY)) {
        return value.reason().isEmpty() ? value.origin().text() : value.reason();
      }
    }
    return "default";
  }

  private static List<String> readLimits(QuerySection query) {
    List<String> limits = new ArrayList<>();
    if (query.readBatch().bytes() > 0) {
      limits.add("query.read-batch " + query.readBatch());
    }
    if (query.readMaxBatches() > 0) {
      limits.add("query.read-max-batches " + query.readMaxBatches());
    }
    if (!query.readTimeout().isZero()) {
      limits.add("query.read-timeout " + query.readTimeout().toMillis() + "ms");
    }
    return limits;
  }
}
