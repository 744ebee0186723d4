package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.util.List;

/**
 * A registered rank of an engine instance. Its device memory must stay as it is until the
 * registration has ended and the Manager has let go: {@link #unregister} returned, or the Manager
 * is proven dead.
 */
public final class Worker {
  private final OrbitKvClient client;
  private final String instanceName;
  private final int rank;
  private final ServerMessage.Registered registered;

  Worker(OrbitKvClient client, String instanceName, int rank, ServerMessage.Registered registered) {
    this.client = client;
    this.instanceName = instanceName;
    this.rank = rank;
    this.registered = registered;
  }

  /** Name of the instance. */
  public String instanceName() {
    return instanceName;
  }

  /** The Manager's handle of the instance. */
  public int instance() {
    return registered.instance();
  }

  /** Generation of the instance that this worker belongs to. */
  public long generation() {
    return registered.generation();
  }

  /** Whether this registration was the last one that the instance needed. */
  public boolean sealed() {
    return registered.sealed();
  }

  /** This worker's rank. */
  public int rank() {
    return rank;
  }

  /**
   * For each slot of staged restores the handles of its interprocess events, by layer, as 128
   * hexadecimal digits each; empty when the Manager stages none for this worker.
   */
  public List<List<String>> stageEvents() {
    return registered.stageEvents();
  }

  /** See {@link OrbitKvClient#restore(int, LeaseId, long, int[], boolean)}. */
  public Restoration restore(LeaseId lease, long waitEvent, int[] devicePages, boolean staged) {
    return client.restore(instance(), lease, waitEvent, devicePages, staged);
  }

  /** See {@link OrbitKvClient#restore}. */
  public Restoration restore(LeaseId lease, long waitEvent, int[] devicePages) {
    return client.restore(instance(), lease, waitEvent, devicePages);
  }

  /** See {@link OrbitKvClient#publish}. */
  public Publication publish(
      int group, long waitEvent, PageKey parent, long[] keys, int[] devicePages) {
    return client.publish(instance(), group, waitEvent, parent, keys, devicePages);
  }

  /**
   * Leaves the instance, whose generation ends with it.
   *
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public void unregister() throws InterruptedException {
    client.request(
        "Unregister", id -> new ClientMessage.Unregister(id, instance()), ServerMessage.Done.class);
  }
}
