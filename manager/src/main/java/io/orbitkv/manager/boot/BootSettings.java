package io.orbitkv.manager.boot;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.policy.JournalSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the boot needs to know, all of it checked.
 *
 * @param socket where clients connect
 * @param socketChosenHere nobody named the socket's path
 * @param metricsAddress where metrics are served over HTTP; null: nowhere
 * @param logLevel as in the configuration
 * @param poolBytes size of the pool
 * @param poolReason where that size comes from, for the start-up line
 * @param maxPages pages that it may hold at the same time
 * @param budget byte limits of queries
 * @param memoryTier name of the tier that holds pages
 * @param copiers names, in order of preference
 * @param maxSessions connections at the same time
 * @param boardRecords records of a session's status board
 * @param replyQueue messages that may wait for one client
 * @param maxFrameBytes largest frame
 * @param allowedUsers names of users that may connect beside the Manager's own
 * @param backingTier name of the tier behind it; empty for none
 * @param reads how pages are read from the backing tier
 * @param writes how pages are written to it
 * @param readLimits limits of reads from a backing tier that are set, as {@code key value}
 * @param journal how much of the policies' decisions is kept
 * @param prefillTokensPerSecond of engines that tell none; 0 for unknown
 * @param cells how instances, tiers and budgets are divided into two cells; null: they are not
 */
public record BootSettings(
    Path socket,
    boolean socketChosenHere,
    @Nullable InetSocketAddress metricsAddress,
    String logLevel,
    long poolBytes,
    String poolReason,
    int maxPages,
    BudgetLimits budget,
    String memoryTier,
    List<String> copiers,
    int maxSessions,
    int boardRecords,
    int replyQueue,
    int maxFrameBytes,
    List<String> allowedUsers,
    String backingTier,
    ReadSettings reads,
    WriteSettings writes,
    List<String> readLimits,
    JournalSettings journal,
    long prefillTokensPerSecond,
    @Nullable ArmSplit cells) {
  /** Copies the lists. */
  public BootSettings {
    copiers = List.copyOf(copiers);
    allowedUsers = List.copyOf(allowedUsers);
    readLimits = List.copyOf(readLimits);
  }
}
