package io.orbitkv.client;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.wire.ServerMessage;

/** A sealed engine instance as its scheduler uses it. */
public final class Scheduler {
  private final OrbitKvClient client;
  private final String instanceName;
  private final ServerMessage.Attached attached;

  Scheduler(OrbitKvClient client, String instanceName, ServerMessage.Attached attached) {
    this.client = client;
    this.instanceName = instanceName;
    this.attached = attached;
  }

  /** Name of the instance. */
  public String instanceName() {
    return instanceName;
  }

  /** The Manager's handle of the instance. */
  public int instance() {
    return attached.instance();
  }

  /** Generation of the instance. */
  public long generation() {
    return attached.generation();
  }

  /** Number of ranks. */
  public int worldSize() {
    return attached.worldSize();
  }

  /** Tokens in a page. */
  public int pageTokens() {
    return attached.pageTokens();
  }

  /** Number of groups. */
  public int groups() {
    return attached.pageBytes().length;
  }

  /** Payload of one page of a group over all ranks, in bytes. */
  public long pageBytes(int group) {
    return attached.pageBytes()[group];
  }

  /** See {@link OrbitKvClient#query(int, String, long[])}. */
  public QueryHandle query(String requestId, long[] keys) {
    return client.query(instance(), requestId, keys);
  }

  /** See {@link OrbitKvClient#query(int, QueryKind, String, long[])}. */
  public QueryHandle query(QueryKind kind, String requestId, long[] keys) {
    return client.query(instance(), kind, requestId, keys);
  }

  /** See {@link OrbitKvClient#engineStats}. */
  public void engineStats(long prefillTokensPerSecond) {
    client.engineStats(instance(), prefillTokensPerSecond);
  }
}
