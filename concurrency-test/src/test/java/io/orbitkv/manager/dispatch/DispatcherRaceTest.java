package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.concurrency.Race;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Outbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions, copiers, the ticker and whoever ends the Manager, at once. */
@Timeout(300)
class DispatcherRaceTest {
  private static final int EACH = 12;
  private static final int REPEATS = 60;
  private static final long FOR_EVER_NANOS = Duration.ofHours(1).toNanos();

  /** What two kinds of threads send: events of a session number, and reports of a registration. */
  private static final class Steps implements KernelPort {
    private final ConcurrentLinkedQueue<Event> seen = new ConcurrentLinkedQueue<>();
    private volatile int reports;
    private volatile int mails;
    private volatile int ticks;

    // The dispatcher alone counts.
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void step(Event event, long nowNanos, Outbox outbox) {
      seen.add(event);
      if (event instanceof Event.DeviceClosed) {
        reports++;
      } else if (event instanceof Event.Tick) {
        ticks++;
      } else {
        mails++;
      }
    }

    @Override
    public KernelStatus status() {
      throw new IllegalStateException("not asked for");
    }

    @Override
    public void verify() {}
  }

  private final DeviceThread devices = new DeviceThread();
  private final ConcurrentLinkedQueue<Throwable> fatal = new ConcurrentLinkedQueue<>();
  private Steps kernel = new Steps();
  private Dispatcher dispatcher;

  private Dispatcher started(int capacity) {
    Dispatcher made =
        new Dispatcher(
            kernel,
            () -> 0,
            new Copiers(List.of()),
            devices,
            BackingPort.none(),
            fatal::add,
            capacity,
            PolicyPort.none(now -> {}),
            DispatchMeter.NONE,
            FOR_EVER_NANOS);
    made.start();
    return made;
  }

  @BeforeEach
  void start() {
    dispatcher = started(4);
  }

  @AfterEach
  void end() {
    dispatcher.close();
    devices.close();
    assertThat(fatal).isEmpty();
  }

  @Test
  void reportsAndMail_areHandledOnceEachInTheirOrder() {
    Race.play(() -> new Mixed());
  }

  private final class Mixed implements Race.Round {
    private final int reportsBefore = kernel.reports;
    private final int mailsBefore = kernel.mails;

    @Override
    public List<Race.Actor> actors() {
      return List.of(() -> submit(1), () -> submit(2), () -> report(3), () -> both(4));
    }

    private void submit(long thread) {
      for (int i = 1; i <= EACH; i++) {
        assertThat(dispatcher.submit(new Event.Sync(thread, i))).isTrue();
      }
      awaitAll();
    }

    private void report(long thread) {
      for (int i = 1; i <= EACH; i++) {
        dispatcher.report(new Event.DeviceClosed(thread * 1000 + i));
      }
      awaitAll();
    }

    /** After each report two messages, the second of which may not overtake it. */
    private void both(long thread) {
      for (int i = 1; i <= EACH; i++) {
        dispatcher.report(new Event.DeviceClosed(thread * 1000 + i));
        dispatcher.submit(new Event.Sync(thread, 2L * i - 1));
        dispatcher.submit(new Event.Sync(thread, 2L * i));
      }
      awaitAll();
    }

    // Nobody sends anything after this, so what was forgotten stays forgotten.
    private void awaitAll() {
      while (kernel.reports < reportsBefore + 2 * EACH || kernel.mails < mailsBefore + 4 * EACH) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void check() {
      List<Event> events = new ArrayList<>(kernel.seen);
      kernel.seen.clear();
      assertThat(events).hasSize(6 * EACH);
      long[] lastMail = new long[5];
      long[] lastReport = new long[5];
      for (Event event : events) {
        if (event instanceof Event.Sync sync) {
          int thread = (int) sync.session();
          assertThat(sync.operation()).isEqualTo(lastMail[thread] + 1);
          lastMail[thread] = sync.operation();
          if (thread == 4 && sync.operation() % 2 == 0) {
            assertThat(lastReport[4])
                .as("reports go before mail that came after them")
                .isGreaterThanOrEqualTo(sync.operation() / 2);
          }
        } else if (event instanceof Event.DeviceClosed closed) {
          int thread = (int) (closed.registration() / 1000);
          long number = closed.registration() % 1000;
          assertThat(number).isEqualTo(lastReport[thread] + 1);
          lastReport[thread] = number;
        }
      }
    }
  }

  @Test
  void dispatcherThatFallsAsleep_isWokenByEachKindOfWorkAlone() {
    int[] round = {0};
    Race.play(() -> {
      int kind = round[0]++ % 3;
      return new Race.Round() {
        @Override
        public List<Race.Actor> actors() {
          return List.of(
              switch (kind) {
                case 0 -> DispatcherRaceTest.this::reportAlone;
                case 1 -> DispatcherRaceTest.this::mailAlone;
                default -> DispatcherRaceTest.this::tickAlone;
              });
        }

        @Override
        public void check() {
          kernel.seen.clear();
        }
      };
    });
  }

  private void reportAlone() {
    for (int i = 0; i < REPEATS; i++) {
      int before = kernel.reports;
      dispatcher.report(new Event.DeviceClosed(1));
      while (kernel.reports == before) {
        Thread.onSpinWait();
      }
      pause(i);
    }
  }

  private void mailAlone() {
    for (int i = 0; i < REPEATS; i++) {
      int before = kernel.mails;
      dispatcher.submit(new Event.Sync(1, 1));
      while (kernel.mails == before) {
        Thread.onSpinWait();
      }
      pause(i);
    }
  }

  private void tickAlone() {
    for (int i = 0; i < REPEATS; i++) {
      int before = kernel.ticks;
      dispatcher.tick();
      while (kernel.ticks == before) {
        Thread.onSpinWait();
      }
      pause(i);
    }
  }

  /** The next work comes at another moment of the dispatcher's falling asleep each time. */
  private static void pause(int spins) {
    for (int i = 0; i < spins; i++) {
      Thread.onSpinWait();
    }
  }

  @Test
  void close_whileProducersWait_handlesWhatWasAcceptedAndAnswersWhoAsks() {
    dispatcher.close();
    Race.play(() -> {
      kernel = new Steps();
      Dispatcher ending = started(2);
      int[] accepted = new int[2];
      return new Race.Round() {
        @Override
        public List<Race.Actor> actors() {
          return List.of(
              () -> accepted[0] = submitUntilTheEnd(ending, 1),
              () -> accepted[1] = submitUntilTheEnd(ending, 2),
              () -> verifyUntilTheEnd(ending),
              ending::close);
        }

        @Override
        public void check() {
          ending.ended().join();
          long[] handled = new long[3];
          for (Event event : kernel.seen) {
            Event.Sync sync = (Event.Sync) event;
            int thread = (int) sync.session();
            assertThat(sync.operation()).isEqualTo(++handled[thread]);
          }
          assertThat(handled).containsExactly(0, accepted[0], accepted[1]);
        }
      };
    });
  }

  private static int submitUntilTheEnd(Dispatcher ending, long thread) {
    int accepted = 0;
    while (ending.submit(new Event.Sync(thread, accepted + 1))) {
      accepted++;
    }
    return accepted;
  }

  /** Each question is answered, by the check or by the end. */
  private static void verifyUntilTheEnd(Dispatcher ending) {
    while (true) {
      try {
        ending.verify().join();
      } catch (CompletionException ended) {
        return;
      }
    }
  }
}
