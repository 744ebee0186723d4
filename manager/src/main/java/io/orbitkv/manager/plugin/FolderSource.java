package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * A plugin as a folder. Its digest covers, for each file in the order of their paths: path, a zero
 * byte, SHA-256 of the content.
 *
 * @param folder the folder
 * @param limits what a plugin may be
 */
record FolderSource(Path folder, PluginLimits limits) implements PluginSource {
  @Override
  public String copyInto(Path target) throws IOException {
    CopyBudget budget = new CopyBudget(limits, 0);
    MessageDigest digest = CopyBudget.sha256();
    List<String> names = PluginStore.files(folder);
    for (String name : names) {
      budget.entry();
      Path from = folder.resolve(name);
      if (!Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)) {
        throw new RefusedException(
            "its [" + name + "] is no regular file", "replace links and devices by files");
      }
      Path to = target.resolve(name);
      Files.createDirectories(to.getParent());
      MessageDigest content = CopyBudget.sha256();
      try (InputStream in = Files.newInputStream(from, LinkOption.NOFOLLOW_LINKS)) {
        budget.copy(in, to, content);
      }
      digest.update(name.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(content.digest());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
