package io.orbitkv.concurrency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * Many short rounds in which the same few threads do different things to the same objects at the
 * same moment. Each round has objects of its own; once all its actors are done, what came of it is
 * checked against what is allowed.
 *
 * <p>The actors of a round are let go together, each after a random pause of a few instructions to
 * a few microseconds, so that the rounds differ in who comes first. An actor that does not end
 * within a minute fails the race with its stack: that is what a lost wake-up looks like.
 */
public final class Race {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();
  // Pauses are mostly short: the exponent of the longest is drawn, then the pause.
  private static final int PAUSE_EXPONENTS = 10;
  private static final int SPINS_BEFORE_YIELD = 200;

  private final List<Thread> threads = new ArrayList<>();
  private final List<Runner> runners = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private volatile int round;
  private volatile boolean over;

  private Race() {}

  /** What one thread does in a round. */
  @FunctionalInterface
  public interface Actor {
    /** Called once, together with the round's other actors. */
    void act() throws Exception;
  }

  /** Objects, what is done to them, and what may come of it. */
  public interface Round {
    /** One for each thread; as many in each round of a race. */
    List<Actor> actors();

    /** Fails unless what came of the round is allowed. All actors are done. */
    void check() throws Exception;
  }

  /** How long a race takes in this build. */
  public static Duration time() {
    return Duration.ofMillis(Long.getLong("orbitkv.race.milliseconds", 300));
  }

  /**
   * Plays rounds until {@link #time} is over; at least a few.
   *
   * @return how many
   */
  public static int play(Supplier<? extends Round> rounds) {
    Race race = new Race();
    try {
      return race.run(rounds);
    } finally {
      race.end();
    }
  }

  private int run(Supplier<? extends Round> rounds) {
    long end = System.nanoTime() + time().toNanos();
    int played = 0;
    while (played < 3 || System.nanoTime() < end) {
      Round next = rounds.get();
      List<Actor> actors = next.actors();
      start(actors.size());
      for (int i = 0; i < actors.size(); i++) {
        runners.get(i).actor = actors.get(i);
      }
      running.set(actors.size());
      round = played + 1;
      awaitActors();
      played++;
      for (Runner runner : runners) {
        Throwable failure = runner.failure;
        if (failure != null) {
          throw new AssertionError("an actor of round [" + played + "] failed", failure);
        }
      }
      try {
        next.check();
      } catch (Exception failed) {
        throw new AssertionError("the check of round [" + played + "] failed", failed);
      } catch (AssertionError failed) {
        throw new AssertionError("round [" + played + "]: " + failed.getMessage(), failed);
      }
    }
    return played;
  }

  private void start(int actors) {
    if (threads.isEmpty()) {
      for (int i = 0; i < actors; i++) {
        Runner runner = new Runner(i);
        runners.add(runner);
        threads.add(Thread.ofPlatform().name("actor-" + i).daemon().start(runner));
      }
    }
    if (threads.size() != actors) {
      throw new IllegalArgumentException("a round of [" + actors + "] actors among others");
    }
  }

  private void awaitActors() {
    long start = System.nanoTime();
    for (int spins = 0; running.get() > 0; spins++) {
      pass(spins);
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError(stuck());
      }
    }
  }

  private String stuck() {
    StringBuilder text = new StringBuilder("actors did not end within a minute:");
    for (int i = 0; i < threads.size(); i++) {
      if (!runners.get(i).idle) {
        text.append("\n  ").append(threads.get(i).getName());
        Arrays.stream(threads.get(i).getStackTrace())
            .forEach(frame -> text.append("\n    at ").append(frame));
      }
    }
    return text.toString();
  }

  private void end() {
    over = true;
  }

  // To give way is the point: there may be fewer cores than actors.
  @SuppressWarnings("ThreadPriorityCheck")
  private static void pass(int spins) {
    if (spins < SPINS_BEFORE_YIELD) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  private final class Runner implements Runnable {
    private final RandomGenerator random;
    private volatile @Nullable Actor actor;
    private volatile @Nullable Throwable failure;
    private volatile boolean idle = true;

    Runner(int number) {
      random = RandomGeneratorFactory.of("Xoroshiro128PlusPlus").create(number);
    }

    @Override
    public void run() {
      int done = 0;
      while (true) {
        for (int spins = 0; round == done; spins++) {
          if (over) {
            return;
          }
          pass(spins);
        }
        done++;
        Actor mine = actor;
        if (mine == null) {
          throw new IllegalStateException("a round without an actor");
        }
        idle = false;
        for (int spins = random.nextInt(1 << random.nextInt(PAUSE_EXPONENTS)); spins > 0; spins--) {
          Thread.onSpinWait();
        }
        try {
          mine.act();
        } catch (Throwable failed) {
          failure = failed;
        }
        idle = true;
        running.decrementAndGet();
      }
    }
  }
}
