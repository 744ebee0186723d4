package io.orbitkv.workload.ssd;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.OrbitKvException;
import io.orbitkv.workload.engine.EngineGeometry;
import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.process.ManagerStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Kills a Manager with an SSD tier again and again under load and looks at what it knows after each
 * start, through the read path: what it recovered was published, every byte is right, and what it
 * said was written is there. What was published is kept in this process, which is not killed.
 *
 * <p>Sometimes everything is synchronized right before the kill, so that nothing written is still
 * under way; sometimes a Manager is killed while it starts, which may interrupt its recovery.
 *
 * <p>{@link #run} on one thread; {@link #progress} on any.
 */
public final class KillLoop {
  /** Pages of 256 KiB in chains of 16. */
  private static final int PAGE_TOKENS = 64;

  private static final int BYTES_PER_TOKEN = 4096;
  private static final int LAYERS = 4;
  private static final int CHAIN_PAGES = 16;
  private static final int LANES = 4;
  private static final long PAGE_BYTES = (long) PAGE_TOKENS * BYTES_PER_TOKEN;
  private static final long RECORD_BYTES = PAGE_BYTES + PageBytes.BLOCK_BYTES;

  /** Segments of a store are no more than this part of it. */
  private static final int LEAST_SEGMENTS = 16;

  private static final long LEAST_BYTES = 256L << 20;
  private static final double SYNC_SHARE = 0.25;
  private static final double KILL_AT_START_SHARE = 0.25;
  private static final long LEAST_LIFE_MILLIS = 50;
  private static final int STRANGERS = 64;
  private static final int GONE_CHAINS_LOOKED_FOR = 256;
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(60);
  private static final double NANOS_A_SECOND = 1e9;

  /** Every page that is stored is asked for: no policy may say that computing it is quicker. */
  private static final String PLAIN =
      """
      policies: {cutoff: none, admission: {dram: none, ssd: none, promote: none}, retention: {dram: none, ssd: none}}
      """;

  private final Options options;
  private final PublishLog log;
  private final SplittableRandom random;
  private final EngineGeometry geometry =
      new EngineGeometry(PAGE_TOKENS, BYTES_PER_TOKEN, LAYERS, LANES * CHAIN_PAGES);
  private final KillLoopResult.Collector results;
  private long writtenPages;
  private String configuration = "";
  private volatile String progress = "";

  /**
   * What is done.
   *
   * @param file made for it, or one that may be overwritten
   * @param bytes of the store
   * @param kills under load
   * @param longestLife most time under load until a kill
   * @param poolBytes of the Manager's memory
   * @param overwrite whether a file that is there may be overwritten
   * @param keep whether the file stays
   * @param seed of times and choices
   * @param serveOptions further options of the Manager
   */
  public record Options(
      Path file,
      long bytes,
      int kills,
      Duration longestLife,
      long poolBytes,
      boolean overwrite,
      boolean keep,
      long seed,
      List<String> serveOptions) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException naming the value that does not fit
     */
    public Options {
      serveOptions = List.copyOf(serveOptions);
      if (kills < 1) {
        throw new IllegalArgumentException("--kill-loop [" + kills + "] must be positive");
      }
      if (bytes < LEAST_BYTES) {
        throw new IllegalArgumentException("--size [" + bytes + "] is less than 256mb");
      }
      if (longestLife.toMillis() < LEAST_LIFE_MILLIS) {
        throw new IllegalArgumentException(
            "--seconds [" + longestLife.toMillis() / 1e3 + "] is less than 0.05");
      }
    }
  }

  /** A loop that has not begun. */
  public KillLoop(Options options) {
    this.options = options;
    this.log = new PublishLog(options.seed(), CHAIN_PAGES);
    this.random = new SplittableRandom(options.seed());
    this.results = new KillLoopResult.Collector(options);
  }

  /** What it is at; empty before. */
  public String progress() {
    return progress;
  }

  /**
   * Runs all lives.
   *
   * @throws IllegalArgumentException when the file cannot be used, with what to do
   */
  public KillLoopResult run() throws IOException, InterruptedException, ManagerStartException {
    Path plain = Files.createTempFile("orbitkv-kill-loop-", ".yaml");
    try (BenchFile file =
        BenchFile.of(options.file(), options.bytes(), options.overwrite(), options.keep())) {
      Files.writeString(plain, PLAIN);
      configuration = plain.toString();
      file.forgetStore();
      Stored before = new Stored(0, 0);
      for (int life = 0; life <= options.kills(); life++) {
        before = live(life, before);
      }
      return results.result(log.chains(), log.acknowledgedChains());
    } finally {
      Files.deleteIfExists(plain);
    }
  }

  /**
   * What a Manager said that it had written, before it was killed.
   *
   * @param pages known
   * @param slackPages that may have been overwritten since
   */
  private record Stored(long pages, long slackPages) {}

  /** One life of a Manager, to its end. Returns what the next one must know. */
  private Stored live(int life, Stored before)
      throws IOException, InterruptedException, ManagerStartException {
    boolean last = life == options.kills();
    if (life > 0 && random.nextDouble() < KILL_AT_START_SHARE) {
      killWhileStarting(life);
    }
    progress = progress(life, "starting");
    long begin = System.nanoTime();
    try (ManagerProcess manager = ManagerProcess.start(serveOptions())) {
      double startSeconds = (System.nanoTime() - begin) / NANOS_A_SECOND;
      long recovered = storedPages(manager);
      KillClient client = KillClient.connect(manager.socket(), geometry, log, life);
      // Its memory is the Manager's as long as that lives.
      try (client) {
        progress = progress(life, "comparing");
        Check check = check(client, recovered);
        Stored stored = before;
        long lifeMillis = 0;
        if (!last) {
          progress = progress(life, "under load");
          lifeMillis = random.nextLong(LEAST_LIFE_MILLIS, options.longestLife().toMillis() + 1);
          stored = load(manager, client, lifeMillis);
        } else if (manager.stop() != 0) {
          throw new IOException(
              "the Manager did not drain; its log ends with:\n" + manager.logTail());
        }
        results.add(
            new KillLife(
                startSeconds,
                recovered,
                check.found(),
                check.unreadable(),
                client.restoredPages.sum(),
                client.wrongBytes.sum(),
                check.strange(),
                client.publishedPages.sum(),
                before.pages(),
                before.slackPages(),
                lifeMillis));
        return stored;
      }
    }
  }

  private void killWhileStarting(int life) throws IOException, InterruptedException {
    progress = progress(life, "killing it while it starts");
    long longest = Math.max(LEAST_LIFE_MILLIS, (long) (1e3 * results.longestStartSeconds()));
    try (ManagerProcess manager = ManagerProcess.launch(serveOptions())) {
      Thread.sleep(random.nextLong(longest));
      manager.kill();
    }
    results.killedWhileStarting();
  }

  // ---- checks ----------------------------------------------------------------------------------

  /**
   * What a check gave.
   *
   * @param found pages
   * @param unreadable pages that the Manager knew and could not bring
   * @param strange pages that nobody published
   */
  private record Check(long found, long unreadable, long strange) {}

  private Check check(KillClient client, long recovered) throws InterruptedException {
    int chains = log.chains();
    List<Integer> wanted = new ArrayList<>();
    List<Integer> gone = new ArrayList<>();
    for (int chain = 0; chain < chains; chain++) {
      (results.mayBePresent(chain) || log.wasFound(chain) ? wanted : gone).add(chain);
    }
    // A page that was gone may not come back; to look for all of them each time would take long.
    for (int i = 0; i < GONE_CHAINS_LOOKED_FOR && !gone.isEmpty(); i++) {
      wanted.add(gone.remove(/* index */ random.nextInt(gone.size())));
    }
    long found = find(client, wanted);
    long unreadable = unreadable(client);
    if (recovered > found + unreadable) {
      found += find(client, gone);
      unreadable = unreadable(client);
    }
    results.checked(chains);
    long strangers = client.strangersFound(log.strangers(random, STRANGERS));
    return new Check(found, unreadable, strangers + Math.max(0, recovered - found - unreadable));
  }

  private static long unreadable(KillClient client) throws InterruptedException {
    JsonNode counters = JsonMapper.shared().readTree(client.status()).path("counters");
    return counters.path("read_corrupt_pages").asLong(0)
        + counters.path("read_failed_pages").asLong(0)
        + counters.path("read_absent_pages").asLong(0);
  }

  private long find(KillClient client, List<Integer> chains) throws InterruptedException {
    long[] found = new long[LANES];
    Lanes lanes =
        Lanes.start(
            LANES,
            lane -> {
              for (int i = lane; i < chains.size(); i += LANES) {
                int pages = client.restoreAll(lane, chains.get(i));
                log.found(chains.get(i), pages > 0);
                found[lane] += pages;
              }
            });
    lanes.join();
    lanes.rethrow();
    long sum = 0;
    for (long pages : found) {
      sum += pages;
    }
    return sum;
  }

  // ---- load ------------------------------------------------------------------------------------

  /** Loads a Manager for a while and kills it. */
  private Stored load(ManagerProcess manager, KillClient client, long lifeMillis)
      throws IOException, InterruptedException {
    boolean synchronize = random.nextDouble() < SYNC_SHARE;
    Lanes lanes = Lanes.start(LANES, lane -> playUntilKilled(client, lane));
    JsonNode status = JsonMapper.shared().readTree(client.status());
    try {
      // A life counts from its first page: before it there is nothing that a kill could harm.
      while (client.publishedPages.sum() == 0 && lanes.running()) {
        Thread.sleep(1);
      }
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lifeMillis);
      while (System.nanoTime() < deadline && lanes.running()) {
        Thread.sleep(random.nextLong(1, 10));
        status = JsonMapper.shared().readTree(client.status());
      }
      if (synchronize) {
        client.sync(SYNC_LIMIT);
        status = JsonMapper.shared().readTree(client.status());
      }
    } finally {
      manager.kill();
      lanes.join();
    }
    lanes.rethrow();
    writtenPages += status.path("counters").path("written_pages").asLong();
    // As long as the log has never reached the end of the file, nothing was overwritten.
    boolean room = writtenPages * RECORD_BYTES < options.bytes() / 2;
    long slack = room ? 0 : 2 * options.bytes() / LEAST_SEGMENTS / RECORD_BYTES;
    return new Stored(status.path("stored_pages").asLong(), slack);
  }

  private void playUntilKilled(KillClient client, int lane) throws InterruptedException {
    SplittableRandom choices = new SplittableRandom(ThreadLocalRandom.current().nextLong());
    try {
      while (true) {
        int chain = choices.nextInt(5) < 3 ? -1 : log.any(choices);
        if (chain < 0) {
          client.publish(lane);
        } else {
          client.restoreFront(lane, chain);
        }
      }
    } catch (OrbitKvException killed) {
      // The connection ended, as it was meant to. A refusal while it stands is told.
      if (client.connected()) {
        throw killed;
      }
    }
  }

  // ---- the Manager -----------------------------------------------------------------------------

  private List<String> serveOptions() {
    List<String> list =
        new ArrayList<>(
            List.of(
                "--config",
                configuration,
                "--pool-size",
                new ByteSize(options.poolBytes()).toString(),
                "--ssd-cache-path",
                options.file().toAbsolutePath().toString(),
                "--ssd-cache-capacity",
                new ByteSize(options.bytes()).toString()));
    list.addAll(options.serveOptions());
    return list;
  }

  private static long storedPages(ManagerProcess manager) throws IOException, InterruptedException {
    try (OrbitKvClient client =
        OrbitKvClient.connect(manager.socket(), ClientOptions.defaults("orbitkv-kill-loop"))) {
      return JsonMapper.shared().readTree(client.status()).path("stored_pages").asLong();
    }
  }

  private String progress(int life, String what) {
    return String.format(Locale.ROOT, "life %d of %d: %s", life + 1, options.kills() + 1, what);
  }
}
