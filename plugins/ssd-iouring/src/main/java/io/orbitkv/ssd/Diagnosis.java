package io.orbitkv.ssd;

import io.orbitkv.api.plugin.Finding;
import io.orbitkv.ssd.device.DeviceProbe;
import io.orbitkv.ssd.device.EngineChoice;
import io.orbitkv.ssd.device.Geometry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks whether the paths would work, and how well: with a file of its own beside each. */
final class Diagnosis {
  private static final String REMEDY_FOR_THREADS =
      "nothing has to be done: the store works on threads, at the cost of processor time; to use"
          + " io_uring, permit its system calls (425, 426 and 427) and kernel.io_uring_disabled=0";

  private final SsdSettings settings;
  private final List<Finding> findings = new ArrayList<>();

  private Diagnosis(SsdSettings settings) {
    this.settings = settings;
  }

  static List<Finding> of(SsdSettings settings) {
    Diagnosis diagnosis = new Diagnosis(settings);
    for (String path : settings.paths()) {
      diagnosis.look(Path.of(path).toAbsolutePath());
    }
    return List.copyOf(diagnosis.findings);
  }

  private void look(Path path) {
    String what = "SSD path [" + path + "]";
    Path folder = path.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      findings.add(
          Finding.bad(what, "its folder does not exist", "make the folder, or name another path"));
      return;
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      findings.add(
          Finding.note(
              what,
              "it is no regular file, and is not touched here",
              "a block device is opened and probed when the Manager starts; it says which engine"
                  + " it uses"));
      return;
    }
    try {
      boolean direct = settings.direct() == SsdSettings.Direct.ON;
      DeviceProbe.Report report = DeviceProbe.inFolder(folder, direct);
      transfers(what, report.geometry());
      engine(what, report.choice());
      room(what, path, folder);
    } catch (IOException | LinkageError refused) {
      findings.add(
          Finding.bad(
              what,
              "a file there cannot be used: " + refused.getMessage(),
              "do what the message says, or name a path on another file system"));
    }
  }

  private void transfers(String what, Geometry geometry) {
    String blocks =
        "blocks of ["
            + geometry.blockBytes()
            + "] bytes, memory aligned to ["
            + geometry.memoryAlignment()
            + "]";
    findings.add(
        geometry.direct()
            ? Finding.good(what + ": transfers", "past the page cache; " + blocks)
            : Finding.note(
                what + ": transfers",
                "through the page cache, since direct is off; " + blocks,
                "set direct: on where the file system has O_DIRECT (ext4, xfs)"));
  }

  private void engine(String what, EngineChoice choice) {
    String check = what + ": engine";
    findings.add(
        choice.fallback()
            ? Finding.note(check, choice.engine() + ": " + choice.reason(), REMEDY_FOR_THREADS)
            : Finding.good(check, choice.engine() + ": " + choice.reason()));
  }

  private void room(String what, Path path, Path folder) throws IOException {
    long there = Files.exists(path) ? Files.size(path) : 0;
    long wanted = settings.capacityOfAPath();
    long free = Files.getFileStore(folder).getUsableSpace();
    findings.add(
        there > 0 || wanted <= free
            ? Finding.good(
                what + ": room",
                there > 0
                    ? "the store has its [" + there + "] bytes"
                    : "[" + wanted + "] bytes of [" + free + "] that are free")
            : Finding.bad(
                what + ": room",
                "[" + free + "] bytes are free, the capacity is [" + wanted + "] bytes a path",
                "make ssd.capacity smaller, or free space"));
  }
}
