package io.orbitkv.manager.boot;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.manager.admin.StatusReport;
import io.orbitkv.manager.experiment.ArmSplit;
import java.nio.file.Path;
import java.util.List;

/** The one line that says what runs. */
final class StartupLine {
  private StartupLine() {}

  static String of(
      String version,
      Path socket,
      BootSettings settings,
      List<String> copiers,
      Extensions extensions) {
    StringBuilder line = new StringBuilder(400);
    line.append("OrbitKV ").append(version).append(" serves at ").append(socket);
    line.append(": pool ").append(new ByteSize(settings.poolBytes()));
    line.append(" (").append(settings.poolReason()).append(')');
    line.append(", query budget ").append(new ByteSize(settings.budget().totalBytes()));
    if (settings.budget().instanceBytes() != settings.budget().totalBytes()) {
      line.append(" (an instance ").append(new ByteSize(settings.budget().instanceBytes()));
      line.append(')');
    }
    line.append(", memory tier ").append(settings.memoryTier());
    line.append(", copiers ").append(String.join(" ", copiers));
    boolean backed = !settings.backingTier().isEmpty();
    line.append(backed ? ", backing tier " + settings.backingTier() : ", SSD off");
    if (!settings.readLimits().isEmpty()) {
      line.append(backed ? " (" : " (so without effect: ");
      line.append(String.join(", ", settings.readLimits())).append(')');
    }
    ArmSplit cells = settings.cells();
    if (cells != null) {
      line.append(", all of it divided into two cells (");
      line.append(cells.percent()).append(" and ").append(100 - cells.percent());
      line.append(" %, by instance)");
    }
    List<StatusReport.RefusalLine> refusals = extensions.refusals();
    if (!refusals.isEmpty()) {
      line.append(", refused plugins ");
      for (StatusReport.RefusalLine refusal : refusals) {
        line.append('[').append(refusal.plugin()).append(']');
      }
    }
    return line.toString();
  }
}
