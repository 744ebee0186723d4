/**
 * The plugin {@code cuda-copy}: copies between host pages and workers whose pages are in the memory
 * of an NVIDIA GPU.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.cudacopy {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires io.orbitkv.cuda;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.cudacopy.CudaCopyPlugin;
}
