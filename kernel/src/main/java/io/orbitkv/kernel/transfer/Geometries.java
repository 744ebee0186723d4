package io.orbitkv.kernel.transfer;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stored pages whose geometry nobody has any more. An engine that comes back with other layers
 * under the same namespace never finds them; the backing tier forgets them, so that they do not
 * take the place of what can be found. Dispatcher.
 */
public final class Geometries {
  private final Step step;
  private final Domains domains;
  private final StoreTickets tickets;
  private final LongMap<Namespace> running = new LongMap<>();
  // What the tier was told to keep, by scope.
  private final Map<Namespace, Set<Namespace>> told = new HashMap<>();

  /** Nothing was told. */
  public Geometries(Step step, Domains domains, StoreTickets tickets) {
    this.step = step;
    this.domains = domains;
    this.tickets = tickets;
  }

  /**
   * An instance has sealed.
   *
   * @param alive every sealed instance that has not ended, itself among them
   */
  public void sealed(Instance instance, List<Instance> alive) {
    if (!step.settings().writes().present()) {
      return;
    }
    Set<Namespace> kept = new LinkedHashSet<>();
    for (Instance each : alive) {
      if (each.namespace().equals(instance.namespace())) {
        for (int group = 0; group < each.groups(); group++) {
          kept.add(domains.namespace(each.domain(group)));
        }
      }
    }
    Set<Namespace> before = told.put(instance.namespace(), kept);
    if (before != null && kept.containsAll(before)) {
      return; // Whatever of the scope came since is of these.
    }
    long ticket = tickets.open();
    running.put(ticket, instance.namespace());
    step.emit(new Command.KeepGeometries(ticket, instance.namespace(), List.copyOf(kept)));
  }

  /** The one report of such a request; returns whether it is one. */
  public boolean forgot(Event.StoreForgot report) {
    Namespace scope = running.remove(report.ticket());
    if (scope == null) {
      return false;
    }
    tickets.close();
    step.count(KernelCounter.STORED_PAGES_DROPPED, report.pages());
    if (report.status() != BackingStatus.DONE) {
      told.remove(scope); // The next instance of it tries again.
    }
    return true;
  }
}
