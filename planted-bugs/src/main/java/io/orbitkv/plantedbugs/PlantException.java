package io.orbitkv.plantedbugs;

/** A patch is of no use. The message names it and says what to do. */
final class PlantException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PlantException(String name, String problem) {
    super("planted bug [" + name + "]: " + problem);
  }
}
