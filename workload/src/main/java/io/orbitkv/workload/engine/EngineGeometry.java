package io.orbitkv.workload.engine;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.WorkerLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * How the modelled engine lays out its device memory: layers one after another, in each layer the K
 * segments of all pages and then the V segments of all pages, as engines with separate K and V
 * tensors do. A page is thus two fragments a layer.
 *
 * @param pageTokens tokens in a page
 * @param bytesPerToken bytes of a token over all layers
 * @param layers number of layers
 * @param pages device pages
 */
public record EngineGeometry(int pageTokens, int bytesPerToken, int layers, int pages) {
  /** K and V. */
  public static final int SEGMENTS = 2;

  /** Unit in which page contents are written and compared. */
  public static final int WORD_BYTES = Long.BYTES;

  /**
   * Checks that a page divides into whole words of each segment.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public EngineGeometry {
    if (pageTokens < 1 || bytesPerToken < 1 || layers < 1 || pages < 1) {
      throw new IllegalArgumentException(
          "page tokens ["
              + pageTokens
              + "], bytes a token ["
              + bytesPerToken
              + "], layers ["
              + layers
              + "] and device pages ["
              + pages
              + "] must be positive");
    }
    if (layers > WorkerLayout.MAX_LAYERS) {
      throw new IllegalArgumentException(
          "[" + layers + "] layers: at most " + WorkerLayout.MAX_LAYERS);
    }
    long pageBytes = (long) pageTokens * bytesPerToken;
    int unit = layers * SEGMENTS * WORD_BYTES;
    if (pageBytes % unit != 0) {
      throw new IllegalArgumentException(
          "a page of ["
              + pageBytes
              + "] bytes ("
              + pageTokens
              + " tokens of "
              + bytesPerToken
              + " bytes) does not divide into "
              + layers
              + " layers of K and V in words of "
              + WORD_BYTES
              + " bytes: choose bytes a token so that the page is a multiple of "
              + unit);
    }
    if (pageBytes / layers / SEGMENTS > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a page of [" + pageBytes + "] bytes is too large: use fewer bytes a token");
    }
  }

  /**
   * As many pages as fit into {@code deviceBytes}.
   *
   * @throws IllegalArgumentException when not even one fits
   */
  public static EngineGeometry fitting(
      int pageTokens, int bytesPerToken, int layers, long deviceBytes) {
    EngineGeometry one = new EngineGeometry(pageTokens, bytesPerToken, layers, 1);
    long pages = Math.min(deviceBytes / one.pageBytes(), Integer.MAX_VALUE);
    if (pages < 1) {
      throw new IllegalArgumentException(
          "device memory of ["
              + deviceBytes
              + "] bytes is smaller than a page of "
              + one.pageBytes()
              + " bytes: make the device memory larger or the bytes a token fewer");
    }
    return new EngineGeometry(pageTokens, bytesPerToken, layers, (int) pages);
  }

  /** Bytes of a page over all layers. */
  public long pageBytes() {
    return (long) pageTokens * bytesPerToken;
  }

  /** Bytes of one segment of one layer of a page. */
  public int segmentBytes() {
    return (int) (pageBytes() / layers / SEGMENTS);
  }

  /** Bytes of the device memory. */
  public long deviceBytes() {
    return pageBytes() * pages;
  }

  /** Offset of a segment of a page in device memory. */
  public long segmentOffset(int page, int layer, int segment) {
    long bytes = segmentBytes();
    return (((long) layer * SEGMENTS + segment) * pages + page) * bytes;
  }

  /** What the engine registers: one rank, one group with the prefix rule. */
  public WorkerLayout workerLayout() {
    List<LayerLayout> list = new ArrayList<>(layers);
    long bytes = segmentBytes();
    for (int layer = 0; layer < layers; layer++) {
      list.add(
          new LayerLayout(
              String.format(Locale.ROOT, "layer.%04d", layer),
              0,
              segmentOffset(0, layer, 0),
              pages,
              segmentBytes(),
              SEGMENTS,
              bytes * pages,
              bytes));
    }
    return new WorkerLayout(
        0, 1, pageTokens, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), list);
  }

  /** The namespace of pages of this shape from block ids of {@code traceIdentity}. */
  public Namespace namespace(String traceIdentity) {
    String identity =
        "orbitkv replay 1\n"
            + traceIdentity
            + "\n"
            + pageTokens
            + "\n"
            + bytesPerToken
            + "\n"
            + layers;
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
      return new Namespace(HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }
}
