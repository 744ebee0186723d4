package io.orbitkv.manager.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and SIGINT. The first asks for a clean end, the second ends at once. A shutdown hook
 * cannot do that: it ends with status 143 and hears of no second signal. The JDK's own class for
 * signals is reached by name, since a build against the platform's API does not see it.
 */
public final class Signals implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Signals.class);
  private static final int SIGNAL_STATUS = 128;
  private static final List<String> NAMES = List.of("TERM", "INT");

  private final AtomicInteger received = new AtomicInteger();
  private final List<Restore> restores = new ArrayList<>();
  private final Runnable first;
  private final IntConsumer second;

  private record Restore(Object signal, Object handler) {}

  private Signals(Runnable first, IntConsumer second) {
    this.first = first;
    this.second = second;
  }

  /**
   * Listens from now on.
   *
   * @param first told of the first signal, on the system's thread for signals
   * @param second told of every later one with the exit status 128 + its number
   */
  public static Signals listen(Runnable first, IntConsumer second) {
    Signals signals = new Signals(first, second);
    try {
      signals.install();
    } catch (ReflectiveOperationException absent) {
      log.warn(
          "signals are left to the JVM ({}): run with the module jdk.unsupported to get a clean"
              + " end",
          absent.toString());
    }
    return signals;
  }

  /** Any thread. Takes a signal as if the system had sent it. */
  void receive(int number) {
    if (received.incrementAndGet() == 1) {
      first.run();
    } else {
      log.warn("a second signal [{}]: the Manager ends at once, without draining", number);
      second.accept(SIGNAL_STATUS + number);
    }
  }

  /** Gives the signals back to whoever had them. */
  @Override
  public void close() {
    try {
      Method handle = handle();
      for (Restore restore : restores) {
        handle.invoke(null, restore.signal(), restore.handler());
      }
    } catch (ReflectiveOperationException failed) {
      log.debug("signals were not given back: {}", failed.toString());
    }
    restores.clear();
  }

  private void install() throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    Method number = signalType.getMethod("getNumber");
    Object handler =
        Proxy.newProxyInstance(
            handlerType.getClassLoader(),
            new Class<?>[] {handlerType},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "handle" -> {
                    receive((Integer) number.invoke(arguments[0]));
                    yield null;
                  }
                  case "equals" -> same(proxy, arguments[0]);
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> "OrbitKV signals";
                });
    Method handle = handle();
    for (String name : NAMES) {
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      try {
        restores.add(new Restore(signal, handle.invoke(null, signal, handler)));
      } catch (InvocationTargetException taken) {
        log.warn("signal [{}] is in use by the JVM: {}", name, String.valueOf(taken.getCause()));
      }
    }
  }

  // A handler is equal to itself alone.
  @SuppressWarnings("ReferenceEquality")
  private static boolean same(Object one, Object other) {
    return one == other;
  }

  private static Method handle() throws ReflectiveOperationException {
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    return Class.forName("sun.misc.Signal")
        .getMethod("handle", Class.forName("sun.misc.Signal"), handlerType);
  }
}
