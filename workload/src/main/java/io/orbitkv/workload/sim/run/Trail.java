package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last events, for a report: kept as they are, made into text only when somebody reads it. */
final class Trail {
  private static final int LENGTH = 16;

  private final @Nullable Event[] events = new Event[LENGTH];
  private final long[] nanos = new long[LENGTH];
  private long count;

  void add(Event event, long nowNanos) {
    int place = (int) (count++ % LENGTH);
    events[place] = event;
    nanos[place] = nowNanos;
  }

  List<String> text() {
    List<String> lines = new ArrayList<>();
    for (long i = Math.max(0, count - LENGTH); i < count; i++) {
      int place = (int) (i % LENGTH);
      Event event = events[place];
      if (event != null) {
        lines.add("step " + (i + 1) + " at " + millis(nanos[place]) + " ms: " + text(event));
      }
    }
    return lines;
  }

  static String millis(long nanos) {
    return nanos / 1_000_000 + "." + String.format("%03d", nanos / 1000 % 1000);
  }

  static String text(Event event) {
    return switch (event) {
      case Event.Submit e ->
          "Submit "
              + e.kind()
              + " "
              + e.session()
              + "/"
              + e.operation()
              + "."
              + e.revision()
              + " record "
              + e.record()
              + " instance "
              + e.instance()
              + " request "
              + e.requestId()
              + " pages "
              + names(e.keys());
      case Event.Publish e ->
          "Publish "
              + e.session()
              + "/"
              + e.operation()
              + " record "
              + e.record()
              + " instance "
              + e.instance()
              + " group "
              + e.group()
              + " pages "
              + names(e.keys())
              + " from "
              + Arrays.toString(e.devicePages());
      case Event.Restore e ->
          "Restore "
              + e.session()
              + "/"
              + e.operation()
              + " record "
              + e.record()
              + " instance "
              + e.instance()
              + " lease "
              + e.lease()
              + " to "
              + Arrays.toString(e.devicePages());
      case Event.Register e ->
          "Register "
              + e.session()
              + "/"
              + e.operation()
              + " "
              + e.instanceName()
              + " rank "
              + e.layout().rank()
              + " of "
              + e.layout().worldSize();
      case Event.DeviceOpened e -> "DeviceOpened " + e.registration();
      case Event.Queue e -> "Queue " + e.session() + " instance " + e.instance();
      default -> event.toString();
    };
  }

  private static String names(long[] keys) {
    StringBuilder text = new StringBuilder("[");
    for (int i = 1; i < keys.length; i += 2) {
      text.append(i == 1 ? "" : " ").append(keys[i]);
    }
    return text.append(']').toString();
  }
}
