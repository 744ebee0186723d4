/**
 * HdrHistogram, its classes unchanged, as a named module: its releases carry neither a descriptor
 * nor a name.
 */
module org.hdrhistogram {
  exports org.HdrHistogram;
}
