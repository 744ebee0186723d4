package io.orbitkv.manager.cell;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.dispatch.SessionPort;
import io.orbitkv.manager.session.EventSink;
import io.orbitkv.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Hands the events of each session to the cell of its instance. Threads of the sessions.
 *
 * <p>Every kernel knows every session. A session belongs to a cell from its first Register or
 * Attach on: its leases, operations and board records are of that cell's kernel, whose numbers mean
 * nothing to the other one. An instance of the other cell is refused on it. What a session without
 * an instance asks for (sync, evict) all cells do, and it hears one answer.
 */
public final class CellRouter implements EventSink {
  private static final int NONE = -1;

  private final Cells cells;
  private final CellAssignments assignments;
  private final Map<Long, Route> routes = new ConcurrentHashMap<>();

  /** Routes to cells that have the numbers of the assignments. */
  public CellRouter(Cells cells, CellAssignments assignments) {
    this.cells = cells;
    this.assignments = assignments;
  }

  @Override
  public boolean open(SessionPort session) {
    Route route = new Route(session, cells.all().size());
    routes.put(session.number(), route);
    for (Cells.Cell cell : cells.all()) {
      if (!cell.dispatcher().open(route.facet())) {
        route.abandon();
        routes.remove(session.number());
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean submit(Event event) {
    if (event instanceof Event.SessionClosed closed) {
      routes.remove(closed.session());
      return everywhere(event);
    }
    Sender sender = Sender.of(event);
    Route route = routes.get(sender.session());
    if (route == null) {
      throw new IllegalStateException("session [" + sender.session() + "] is not open");
    }
    if (event instanceof Event.Register register) {
      return bind(route, sender, register.instanceName(), event);
    }
    if (event instanceof Event.Attach attach) {
      return bind(route, sender, attach.instanceName(), event);
    }
    if (route.cell != NONE) {
      return dispatcher(route.cell).submit(event);
    }
    if (event instanceof Event.Sync || event instanceof Event.Evict) {
      route.await(sender.operation(), cells.all().size());
      return everywhere(event);
    }
    if (sender.answered()) {
      route.port.send(
          new ServerMessage.Refused(
              sender.operation(),
              ErrorCode.UNKNOWN,
              "this session has no instance, and the Manager's tiers are divided into cells by"
                  + " instance: register or attach on it first"));
    }
    return true;
  }

  private boolean bind(Route route, Sender sender, String instance, Event event) {
    int cell = assignments.cellOf(instance);
    if (route.cell != NONE && route.cell != cell) {
      route.port.send(
          new ServerMessage.Refused(
              sender.operation(),
              ErrorCode.CONFLICT,
              "instance ["
                  + instance
                  + "] belongs to cell ["
                  + cells.all().get(cell).name()
                  + "], and this session serves instances of cell ["
                  + cells.all().get(route.cell).name()
                  + "], which shares nothing with it (ab.assign.isolation: partition): use a"
                  + " session of its own for it"));
      return true;
    }
    route.cell = cell;
    return dispatcher(cell).submit(event);
  }

  private Dispatcher dispatcher(int cell) {
    return cells.all().get(cell).dispatcher();
  }

  private boolean everywhere(Event event) {
    boolean all = true;
    for (Cells.Cell cell : cells.all()) {
      all &= cell.dispatcher().submit(event);
    }
    return all;
  }

  /** One session. */
  private static final class Route {
    private final SessionPort port;
    // The session's reader alone.
    private int cell = NONE;

    // Guarded by this.
    private final Map<Long, Together> waiting = new HashMap<>();
    private int open;
    private boolean abandoned;

    Route(SessionPort port, int open) {
      this.port = port;
      this.open = open;
    }

    SessionPort facet() {
      return new Facet(this);
    }

    synchronized void abandon() {
      abandoned = true;
    }

    synchronized void await(long operation, int answers) {
      waiting.putIfAbsent(operation, new Together(answers));
    }

    /** What is to be sent now; null while another cell has not answered. */
    synchronized @Nullable ServerMessage joined(ServerMessage message) {
      if (waiting.isEmpty()) {
        return message;
      }
      long operation = 0;
      if (message instanceof ServerMessage.Done done) {
        operation = done.operation();
      } else if (message instanceof ServerMessage.Refused refused) {
        operation = refused.operation();
      }
      Together together = waiting.get(operation);
      if (together == null) {
        return message;
      }
      together.add(message);
      if (together.left > 0) {
        return null;
      }
      waiting.remove(operation);
      return together.answer(operation);
    }

    synchronized boolean ended() {
      return --open == 0 && !abandoned;
    }
  }

  /** The answers of all cells to one request. */
  private static final class Together {
    private int left;
    private long value;
    private ServerMessage.@Nullable Refused refused;

    Together(int left) {
      this.left = left;
    }

    void add(ServerMessage message) {
      left--;
      if (message instanceof ServerMessage.Done done) {
        value += done.value();
      } else if (message instanceof ServerMessage.Refused no) {
        refused = no;
      }
    }

    ServerMessage answer(long operation) {
      ServerMessage.Refused no = refused;
      return no == null ? new ServerMessage.Done(operation, value) : no;
    }
  }

  /** A session as one cell sees it. */
  private record Facet(Route route) implements SessionPort {
    @Override
    public long number() {
      return route.port.number();
    }

    @Override
    public int boardRecords() {
      return route.port.boardRecords();
    }

    // One cell alone has operations of the session: nobody else writes to its board.
    @Override
    public void post(Command.Answer answer) {
      route.port.post(answer);
    }

    @Override
    public void send(ServerMessage message) {
      ServerMessage now = route.joined(message);
      if (now != null) {
        route.port.send(now);
      }
    }

    @Override
    public void close(String reason) {
      route.port.close(reason);
    }

    @Override
    public void ended() {
      if (route.ended()) {
        route.port.ended();
      }
    }
  }
}
