package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Pages of a tier of the tests in a file, from one start to the next. */
final class KeptPages {
  private KeptPages() {}

  /** A page: its scope, its payload, and the checksum that came with it. */
  record Page(Namespace scope, byte[] bytes, int checksum) {}

  static void write(Path file, Map<StoredKey, Page> pages) {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(pages.size());
      for (Map.Entry<StoredKey, Page> entry : pages.entrySet()) {
        StoredKey key = entry.getKey();
        Page page = entry.getValue();
        out.writeUTF(key.namespace().digest());
        out.writeInt(key.group());
        out.writeLong(key.key().high());
        out.writeLong(key.key().low());
        out.writeUTF(page.scope().digest());
        out.writeInt(page.checksum());
        out.writeInt(page.bytes().length);
        out.write(page.bytes());
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  static Map<StoredKey, Page> read(Path file) {
    Map<StoredKey, Page> pages = new LinkedHashMap<>();
    if (!Files.exists(file)) {
      return pages;
    }
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        Namespace namespace = new Namespace(in.readUTF());
        StoredKey key =
            new StoredKey(namespace, in.readInt(), new PageKey(in.readLong(), in.readLong()));
        Namespace scope = new Namespace(in.readUTF());
        int checksum = in.readInt();
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        pages.put(key, new Page(scope, bytes, checksum));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return pages;
  }
}
