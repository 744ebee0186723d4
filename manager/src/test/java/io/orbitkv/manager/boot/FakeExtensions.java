package io.orbitkv.manager.boot;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.DeviceUnavailableException;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.manager.admin.StatusReport;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.policy.PolicyCatalog;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Extensions that write down what happens to them, and fail where a test wants it. */
final class FakeExtensions implements Extensions {
  final List<String> log = new CopyOnWriteArrayList<>();
  final LinkedBlockingQueue<MemoryTier.ChunkListener> prepared = new LinkedBlockingQueue<>();
  final Set<String> absent = new HashSet<>();
  String failAt = "";
  boolean touchAtOnce = true;
  volatile boolean broken;

  @Override
  public MemoryTier memoryTier(MemoryTierFactory.Request request, CellShare share)
      throws ManagerException {
    fail("memory");
    log.add("memory of " + request.capacityBytes() + " on " + request.nodes());
    return new FakeTier(request.capacityBytes());
  }

  @Override
  public DeviceCopier copier(String name, CellShare share) throws ManagerException {
    fail("copier " + name);
    if (absent.contains(name)) {
      throw ManagerException.runtime(
          "copier of plugin [fake]: no such device",
          new DeviceUnavailableException("no such device"));
    }
    log.add("copier " + name);
    return new FakeCopier(name);
  }

  @Override
  public BackingTier backingTier(List<HostChunk> chunks, CellShare share) throws ManagerException {
    fail("backing tier");
    log.add("backing tier over " + chunks.size() + " chunks");
    return new FakeStore();
  }

  @Override
  public PolicyCatalog policies() {
    return new FakePolicies();
  }

  @Override
  public List<StatusReport.PluginLine> plugins() {
    return List.of();
  }

  @Override
  public List<StatusReport.RefusalLine> refusals() {
    return List.of(new StatusReport.RefusalLine("broken", "plugin [broken] is refused"));
  }

  @Override
  public void close() {
    log.add("close plugins");
  }

  private void fail(String at) throws ManagerException {
    if (failAt.equals(at)) {
      throw ManagerException.runtime("planted at " + at, new IllegalStateException());
    }
  }

  private final class FakeTier implements MemoryTier {
    private final HostChunk chunk;

    FakeTier(long bytes) {
      chunk = new HostChunk(0, 4096, bytes, 0);
    }

    @Override
    public void prepare(ChunkListener listener) {
      log.add("prepare");
      prepared.add(listener);
      if (touchAtOnce) {
        listener.touched(chunk);
      }
    }

    @Override
    public void activate(HostChunk activated) {
      log.add("activate " + activated.index());
    }

    @Override
    public long allocate(long bytes, int numaNode) {
      return NO_MEMORY;
    }

    @Override
    public void free(long handle) {}

    @Override
    public long address(long handle) {
      return 0;
    }

    @Override
    public long allocatedBytes(long handle) {
      return 0;
    }

    @Override
    public List<HostChunk> chunks() {
      return List.of(chunk);
    }

    @Override
    public MemoryUsage usage() {
      if (broken) {
        throw new IllegalArgumentException("planted");
      }
      return new MemoryUsage(chunk.bytes(), 0, 0, 0, 0, 0, -1);
    }

    @Override
    public void close() {
      log.add("close memory");
    }
  }

  private final class FakeStore implements BackingTier {
    @Override
    public void start(Listener listener) {
      if (failAt.equals("store")) {
        throw new IllegalStateException("planted");
      }
      log.add("open store");
      listener.stored(new StoredKey(new Namespace("0".repeat(64)), 0, new PageKey(1, 2)), 4096);
    }

    @Override
    public int read(List<BackingRead> reads) {
      return 0;
    }

    @Override
    public int write(List<BackingWrite> writes) {
      return 0;
    }

    @Override
    public void evict(long ticket, StoredKey key) {}

    @Override
    public void evictAll(long ticket) {}

    @Override
    public void keep(long ticket, Namespace scope, List<Namespace> kept) {}

    @Override
    public void flush(long ticket) {}

    @Override
    public BackingUsage usage() {
      return new BackingUsage(1, 0, 0, 0, 0, "");
    }

    @Override
    public void close() {
      log.add("close store");
    }
  }

  private final class FakeCopier implements DeviceCopier {
    private final String name;

    FakeCopier(String name) {
      this.name = name;
    }

    @Override
    public String memoryKind() {
      return name;
    }

    @Override
    public void registerHostMemory(HostChunk chunk) {
      if (failAt.equals("register " + name)) {
        throw new IllegalStateException("planted");
      }
      log.add("register " + chunk.index() + " with " + name);
    }

    @Override
    public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
      throw new IllegalStateException("planted");
    }

    @Override
    public boolean submit(CopyPlan plan, CopyListener listener) {
      return false;
    }

    @Override
    public void close() {
      log.add("close " + name);
    }
  }
}
