package io.orbitkv.plantedbugs;

import java.util.Collection;
import java.util.stream.Collectors;

/** Patches are of no use. The message names each and says what to do. */
final class PlantException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PlantException(String name, String problem) {
    super("planted bug [" + name + "]: " + problem);
  }

  PlantException(Collection<PlantException> all) {
    super(all.stream().map(Throwable::getMessage).collect(Collectors.joining("\n\n")));
  }
}
