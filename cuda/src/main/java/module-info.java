/**
 * What OrbitKV calls of the CUDA driver. The library of the driver is looked for when {@link
 * io.orbitkv.cuda.CudaDriver#load()} is called, not before, so that everything here builds, links
 * and loads on machines without one.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.cuda {
  requires com.sun.jna;
  requires static org.jspecify;

  exports io.orbitkv.cuda;

  // Handles are structures that are passed by value; JNA reads their fields.
  opens io.orbitkv.cuda.handle to
      com.sun.jna;
}
