package io.orbitkv.kernel.instance;

import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.recovery.RecoveryContract;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.budget.Account;
import io.orbitkv.kernel.recovery.SealedModel;
import io.orbitkv.kernel.residency.PageIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One generation of an engine instance. It seals when every rank has registered and ends when one
 * of them leaves. Handles are never used twice, so whatever belonged to an ended generation cannot
 * reach its successor.
 */
public final class Instance {
  private final int handle;
  private final long generation;
  private final String name;
  private final Namespace namespace;
  private final WorkerLayout shape;
  private final @Nullable Registration[] ranks;
  private final PageIndex inFlight;
  private final Account account = new Account();
  private final int[] nodes;
  private final int[] domains;
  private final long[][] runBytes;
  private final long[] pageBytes;
  private final long[] payloadBytes;
  private final long[][] slotBytes;
  private @Nullable SealedModel model;
  private boolean sealed;
  private boolean retired;
  private long prefillTokensPerSecond;

  /**
   * @param shape of the first rank that registered
   * @param inFlight index of this generation's unsealed pages
   */
  public Instance(
      int handle,
      long generation,
      String name,
      Namespace namespace,
      WorkerLayout shape,
      PageIndex inFlight) {
    this.handle = handle;
    this.generation = generation;
    this.name = name;
    this.namespace = namespace;
    this.shape = shape;
    this.inFlight = inFlight;
    int groups = shape.groups().size();
    this.ranks = new Registration[shape.worldSize()];
    this.nodes = new int[shape.worldSize()];
    this.domains = new int[groups];
    this.runBytes = new long[groups][shape.worldSize()];
    this.pageBytes = new long[groups];
    this.payloadBytes = new long[groups];
    this.slotBytes = new long[groups][shape.worldSize()];
  }

  /** Why a worker does not fit in, or null when it does. */
  public @Nullable String conflict(Namespace workerNamespace, WorkerLayout worker, long session) {
    String who = "instance [" + name + "]";
    if (!namespace.equals(workerNamespace)) {
      return who
          + " has the namespace ["
          + namespace.digest()
          + "], not ["
          + workerNamespace.digest()
          + "]";
    }
    if (shape.worldSize() != worker.worldSize()) {
      return who + " has [" + shape.worldSize() + "] ranks, not [" + worker.worldSize() + "]";
    }
    if (shape.pageTokens() != worker.pageTokens()) {
      return who
          + " has pages of ["
          + shape.pageTokens()
          + "] tokens, not ["
          + worker.pageTokens()
          + "]";
    }
    if (!shape.groups().equals(worker.groups())) {
      return who + " has the groups " + shape.groups() + ", not " + worker.groups();
    }
    if (ranks[worker.rank()] != null) {
      return who + " has a live worker of rank [" + worker.rank() + "]: end it first";
    }
    for (Registration other : ranks) {
      if (other == null) {
        continue;
      }
      if (other.session() == session) {
        return who + " has rank [" + other.rank() + "] on this connection: each rank needs its own";
      }
      String layer = differingLayer(other.layout(), worker);
      if (layer != null) {
        return who + ": layer [" + layer + "] has another geometry on rank [" + other.rank() + "]";
      }
    }
    return null;
  }

  private static @Nullable String differingLayer(WorkerLayout one, WorkerLayout other) {
    Map<String, LayerLayout> byName = new HashMap<>();
    for (LayerLayout layer : one.layers()) {
      byName.put(layer.name(), layer);
    }
    for (LayerLayout layer : other.layers()) {
      LayerLayout same = byName.get(layer.name());
      if (same != null
          && (same.group() != layer.group()
              || same.segmentBytes() != layer.segmentBytes()
              || same.segments() != layer.segments())) {
        return layer.name();
      }
    }
    return null;
  }

  /** A worker joins. */
  public void join(Registration registration) {
    ranks[registration.rank()] = registration;
  }

  /** A worker whose device memory could not be opened leaves. */
  public void leave(Registration registration) {
    ranks[registration.rank()] = null;
  }

  /** Seals when every rank's device memory is open; returns whether it is sealed. */
  public boolean sealIfComplete(Domains interner) {
    List<Registration> all = registrations();
    if (sealed || all.size() < ranks.length) {
      return sealed;
    }
    for (Registration registration : all) {
      if (registration.state() != Registration.State.OPEN) {
        return false;
      }
      nodes[registration.rank()] = registration.layout().numaNode();
    }
    for (GroupSpec group : shape.groups()) {
      List<SlotLayout> slots = new ArrayList<>();
      for (Registration registration : all) {
        SlotLayout slot = registration.slot(group.id());
        slots.add(slot);
        runBytes[group.id()][registration.rank()] = slot.runBytes();
        pageBytes[group.id()] += slot.runBytes();
        payloadBytes[group.id()] += slot.payloadBytes();
        slotBytes[group.id()][registration.rank()] = slot.payloadBytes();
      }
      domains[group.id()] = interner.intern(namespace, shape.pageTokens(), group, slots);
    }
    model =
        new SealedModel(
            generation,
            RecoveryContract.of(namespace, shape.pageTokens(), shape.groups()),
            shape.worldSize(),
            domains);
    sealed = true;
    return true;
  }

  /** The workers by rank. */
  public List<Registration> registrations() {
    List<Registration> all = new ArrayList<>(ranks.length);
    for (Registration registration : ranks) {
      if (registration != null) {
        all.add(registration);
      }
    }
    return all;
  }

  /** The handle that clients use. */
  public int handle() {
    return handle;
  }

  /** The generation. */
  public long generation() {
    return generation;
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** What the engine calls it. */
  public Namespace namespace() {
    return namespace;
  }

  /** Number of ranks. */
  public int worldSize() {
    return shape.worldSize();
  }

  /** Tokens in a page. */
  public int pageTokens() {
    return shape.pageTokens();
  }

  /** Number of groups. */
  public int groups() {
    return domains.length;
  }

  /** Whether every rank registered. */
  public boolean sealed() {
    return sealed;
  }

  /** Whether the generation ended. */
  public boolean retired() {
    return retired;
  }

  /** The generation ends. */
  public void retire() {
    retired = true;
  }

  /** The unsealed pages. */
  public PageIndex inFlight() {
    return inFlight;
  }

  /** The query bytes. */
  public Account account() {
    return account;
  }

  /** NUMA node of each rank, or -1. */
  public int[] nodes() {
    return nodes;
  }

  /** The key space of a group. */
  public int domain(int group) {
    return domains[group];
  }

  /** Bytes of the runs of a page of a group, by rank. */
  public long[] runBytes(int group) {
    return runBytes[group];
  }

  /** Registered payload of a page of a group over all ranks, padding included. */
  public long pageBytes(int group) {
    return pageBytes[group];
  }

  /** The same for all groups; a copy. */
  public long[] pageBytes() {
    return pageBytes.clone();
  }

  /** Payload of a page of a group over all ranks, without padding. */
  public long payloadBytes(int group) {
    return payloadBytes[group];
  }

  /** Payload of a rank's part of a page of a group, without padding. */
  public long slotBytes(int group, int rank) {
    return slotBytes[group][rank];
  }

  /** The same for all ranks; not to be changed. */
  public long[] slotBytes(int group) {
    return slotBytes[group];
  }

  /** The groups with their rules. */
  public List<GroupSpec> groupSpecs() {
    return shape.groups();
  }

  /** What registration settled, once it is sealed. */
  public SealedModel model() {
    if (model == null) {
      throw new BrokenInvariant("instance [" + name + "] is not sealed");
    }
    return model;
  }

  /** The engine's measured speed; 0 when it never reported. */
  public long prefillTokensPerSecond() {
    return prefillTokensPerSecond;
  }

  /** The engine reports its speed. */
  public void prefillTokensPerSecond(long measured) {
    prefillTokensPerSecond = measured;
  }
}
