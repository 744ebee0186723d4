package io.orbitkv.manager.numa;

import io.orbitkv.api.memory.NumaTopology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that have memory, as the system lists them. A machine without the list has one node.
 * Where binding is not permitted (containers with the default profile) the memory stays unbound,
 * which the log says once.
 */
public final class SystemNumaTopology implements NumaTopology {
  private static final Logger log = LoggerFactory.getLogger(SystemNumaTopology.class);
  private static final Path NODES = Path.of("/sys/devices/system/node");
  private static final List<Integer> ONE_NODE = List.of(0);

  private final List<Integer> nodes;
  private final MemoryBinder binder;
  private final AtomicBoolean said = new AtomicBoolean();

  SystemNumaTopology(List<Integer> nodes, MemoryBinder binder) {
    this.nodes = List.copyOf(nodes);
    this.binder = binder;
  }

  /** The nodes of this machine. */
  public static SystemNumaTopology detect() {
    return new SystemNumaTopology(read(NODES), new LinuxMemoryBinder());
  }

  static List<Integer> read(Path directory) {
    for (String file : List.of("has_memory", "online")) {
      Path list = directory.resolve(file);
      try {
        String text = Files.readString(list);
        if (!text.isBlank()) {
          return NodeList.parse(text);
        }
      } catch (IOException absent) {
        log.debug("no list of nodes in [{}]", list);
      } catch (IllegalArgumentException malformed) {
        log.warn("the nodes in [{}] are not understood: {}", list, malformed.getMessage());
      }
    }
    return ONE_NODE;
  }

  @Override
  public List<Integer> nodes() {
    return nodes;
  }

  @Override
  public void bind(long address, long bytes, int node) {
    if (!nodes.contains(node)) {
      throw new IllegalArgumentException("node [" + node + "] is not one of " + nodes);
    }
    if (nodes.size() == 1) {
      // There is nowhere else to go.
      return;
    }
    switch (binder.bind(address, bytes, node)) {
      case MemoryBinder.Outcome.Bound() -> {}
      case MemoryBinder.Outcome.NotPermitted(String reason) -> {
        if (said.compareAndSet(false, true)) {
          log.warn(
              "memory is not bound to NUMA nodes, the system does not permit it ({}): allow the"
                  + " system call mbind (in a container: --cap-add SYS_NICE, or a seccomp profile"
                  + " with mbind)",
              reason);
        }
      }
      case MemoryBinder.Outcome.Refused(String reason) ->
          throw new IllegalStateException(
              "the system does not bind ["
                  + bytes
                  + "] bytes to NUMA node ["
                  + node
                  + "]: "
                  + reason);
    }
  }
}
