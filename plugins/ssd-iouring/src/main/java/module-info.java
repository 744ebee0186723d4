/**
 * The plugin {@code ssd-iouring}: pages on SSD, in a log-structured store that is read and written
 * past the page cache, checksummed and persistent.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.ssd {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;
}
