package io.orbitkv.manager.settings;

/** Where the value of a setting comes from. */
public sealed interface Origin {
  /** Nobody set it. */
  record Default() implements Origin {
    @Override
    public String text() {
      return "default";
    }
  }

  /**
   * The configuration file set it.
   *
   * @param place of the value
   */
  record File(Place place) implements Origin {
    @Override
    public String text() {
      return place.source() + ":" + place.line();
    }
  }

  /**
   * A flag set it.
   *
   * @param flag such as {@code --pool-size}
   */
  record Flag(String flag) implements Origin {
    @Override
    public String text() {
      return flag;
    }
  }

  /** One word or place for a table. */
  String text();

  /** The origin of a value at {@code place}. */
  static Origin of(Place place) {
    return place.isFlag() ? new Flag(place.source()) : new File(place);
  }
}
