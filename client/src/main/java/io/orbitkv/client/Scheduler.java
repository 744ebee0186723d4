package io.orbitkv.client;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.util.List;
import java.util.Optional;

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

  /** See {@link OrbitKvClient#discover}. */
  public Discovery discover(String requestId, int[] groups, int[] pagesOfGroup, long[] keys) {
    return client.discover(instance(), requestId, groups, pagesOfGroup, keys);
  }

  /** See {@link OrbitKvClient#select}. */
  public QueryHandle select(String requestId, RecoveryDemand demand, long[] keys) {
    return client.select(instance(), requestId, demand, keys);
  }

  /** See {@link OrbitKvClient#prepare}. */
  public Optional<Preparation> prepare(String requestId, long[] keys) {
    return client.prepare(instance(), requestId, keys);
  }

  /** See {@link OrbitKvClient#prepareSelected}. */
  public Optional<Preparation> prepareSelected(
      String requestId, RecoveryDemand demand, long[] keys) {
    return client.prepareSelected(instance(), requestId, demand, keys);
  }

  /** See {@link OrbitKvClient#warm}. */
  public boolean warm(String requestId, long[] keys) {
    return client.warm(instance(), requestId, keys);
  }

  /** See {@link OrbitKvClient#queue}. */
  public void queue(List<ClientMessage.Queue.Entry> changes) {
    client.queue(instance(), changes);
  }

  /** See {@link OrbitKvClient#engineStats}. */
  public void engineStats(long prefillTokensPerSecond) {
    client.engineStats(instance(), prefillTokensPerSecond);
  }
}
