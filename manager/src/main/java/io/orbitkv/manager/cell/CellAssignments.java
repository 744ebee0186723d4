package io.orbitkv.manager.cell;

import io.orbitkv.manager.environment.ReplacedFile;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.thread.SerialThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which cell each engine instance belongs to: drawn by a salted hash of its name when it comes for
 * the first time, and kept from then on, over restarts too. Any thread.
 */
public final class CellAssignments implements AutoCloseable {
  /** Names that are kept; the cell of a further one is drawn anew each time, with equal result. */
  public static final int MOST_NAMES = 10_000;

  private static final Logger log = LoggerFactory.getLogger(CellAssignments.class);
  private static final int VERSION = 1;
  private static final long MOST_BYTES = 16L << 20;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final ArmSplit split;
  private final Path file;
  private final SerialThread writer = new SerialThread("orbitkv-cells");

  // Guarded by this.
  private final Map<String, Integer> cells = new TreeMap<>();
  private boolean writing;

  private CellAssignments(ArmSplit split, Path file) {
    this.split = split;
    this.file = file;
  }

  /**
   * Reads what an earlier start kept. A file of another split, or one that cannot be read, is put
   * aside, which the log tells: the hash decides anew then.
   *
   * @param split who belongs to the second cell
   * @param file that keeps assignments; it and its folder need not be there yet
   */
  public static CellAssignments open(ArmSplit split, Path file) {
    CellAssignments opened = new CellAssignments(split, file);
    opened.read();
    return opened;
  }

  /** How instances are divided. */
  public ArmSplit split() {
    return split;
  }

  /** The file. */
  public Path file() {
    return file;
  }

  /** Number of the cell of an instance, from 0. */
  public synchronized int cellOf(String instance) {
    Integer known = cells.get(instance);
    if (known != null) {
      return known;
    }
    int drawn = split.second(instance, 0) ? 1 : 0;
    if (cells.size() < MOST_NAMES) {
      cells.put(instance, drawn);
      log.info("instance [{}] belongs to cell [{}] from now on", instance, drawn + 1);
      keep();
    }
    return drawn;
  }

  /** The instances of a cell that are kept, in order of their names. */
  public synchronized List<String> instances(int cell) {
    List<String> names = new ArrayList<>();
    cells.forEach((name, in) -> {
      if (in == cell) {
        names.add(name);
      }
    });
    return names;
  }

  // Many that come at once are one file.
  private void keep() {
    if (!writing) {
      writing = true;
      writer.execute(this::write);
    }
  }

  private void write() {
    String text;
    synchronized (this) {
      writing = false;
      ObjectNode root = MAPPER.createObjectNode();
      root.put("version", VERSION);
      root.put("percent_of_first", split.percent());
      root.put("salt", split.salt());
      ObjectNode instances = root.putObject("instances");
      cells.forEach((name, cell) -> instances.put(name, cell + 1));
      text = MAPPER.writeValueAsString(root);
    }
    try {
      ReplacedFile.write(file, text);
    } catch (IOException failed) {
      log.error(
          "the cells of instances cannot be written to [{}] ({}): the salted hash gives each the"
              + " same one after a restart, unless split or salt change",
          file,
          failed.toString());
    }
  }

  private synchronized void read() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new IllegalArgumentException("it has more than [" + MOST_BYTES + "] bytes");
      }
      JsonNode root = MAPPER.readTree(Files.readString(file));
      if (root.path("version").asInt(0) != VERSION) {
        throw new IllegalArgumentException("it is not of version [" + VERSION + "]");
      }
      if (root.path("percent_of_first").asInt(0) != split.percent()
          || root.path("salt").asLong(0) != split.salt()) {
        throw new IllegalArgumentException("split or salt was another one");
      }
      for (Map.Entry<String, JsonNode> each : root.path("instances").properties()) {
        int cell = each.getValue().asInt(0);
        if (cell != 1 && cell != 2) {
          throw new IllegalArgumentException("[" + each.getKey() + "] is in no cell");
        }
        if (cells.size() < MOST_NAMES) {
          cells.put(each.getKey(), cell - 1);
        }
      }
    } catch (NoSuchFileException none) {
      log.debug("no instance was assigned before");
    } catch (IOException | JacksonException | IllegalArgumentException unusable) {
      cells.clear();
      putAside(unusable);
    }
  }

  private void putAside(Exception unusable) {
    Path aside = file.resolveSibling(file.getFileName() + ".before");
    String where;
    try {
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      where = "the file is [" + aside + "] now";
    } catch (IOException stays) {
      where = "the file cannot be moved (" + stays + ") and will be replaced";
    }
    log.warn(
        "the cells of instances in [{}] are not used ({}): instances are assigned anew; {}",
        file,
        unusable.getMessage(),
        where);
  }

  /** Writes what waits. */
  @Override
  public void close() {
    writer.close();
  }
}
