package io.orbitkv.manager.shadow;

import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How large a page of group 0 is over all ranks of an instance, in host memory: what its workers
 * registered, or what its scheduler was told. Dispatcher, unless a method says otherwise.
 */
final class PageSizes {
  /** Instances, and registrations that are under way, at most. */
  private static final int MOST = 4096;

  private final Map<Registration, Long> registering = new LinkedHashMap<>();
  private final Map<Integer, Size> sizes = new ConcurrentHashMap<>();

  private record Registration(long session, long operation) {}

  private record Size(long generation, long bytes) {}

  void registering(Event.Register register) {
    registering.put(
        new Registration(register.session(), register.operation()),
        SlotLayout.of(0, register.layout().layers()).runBytes());
    if (registering.size() > MOST) {
      registering.remove(registering.keySet().iterator().next());
    }
  }

  void registered(Command.Registered registered) {
    Long bytes = registering.remove(new Registration(registered.session(), registered.operation()));
    if (bytes != null) {
      Size before = sizes.get(registered.instance());
      boolean further = before != null && before.generation() == registered.generation();
      put(
          registered.instance(),
          new Size(
              registered.generation(), further && before != null ? before.bytes() + bytes : bytes));
    }
  }

  void attached(Command.Attached attached) {
    if (attached.pageBytes().length > 0) {
      put(attached.instance(), new Size(attached.generation(), attached.pageBytes()[0]));
    }
  }

  private void put(int instance, Size size) {
    if (sizes.size() >= MOST) {
      // Handles only grow: those far below are of instances that ended long ago.
      sizes.keySet().removeIf(handle -> handle < instance - MOST / 2);
    }
    sizes.put(instance, size);
  }

  /** Any thread. Bytes of a page of an instance; null when it is not known. */
  @Nullable Long of(int instance) {
    Size size = sizes.get(instance);
    return size == null ? null : size.bytes();
  }
}
