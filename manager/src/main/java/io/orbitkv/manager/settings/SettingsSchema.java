package io.orbitkv.manager.settings;

import io.orbitkv.api.settings.Setting;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What can be set, derived from settings records. */
public final class SettingsSchema {
  private SettingsSchema() {}

  /**
   * The settings of a record, those of its sections included.
   *
   * @throws IllegalArgumentException naming the component whose declaration is wrong: no {@link
   *     Setting}, a type that no setting can have, a default or limit that does not parse, a
   *     default outside the limits
   */
  public static List<SettingInfo> of(Class<? extends Record> type) {
    return of(type, "");
  }

  /** The settings of a record, below a key that ends with a dot or is empty. */
  public static List<SettingInfo> of(Class<? extends Record> type, String keyPrefix) {
    List<SettingInfo> all = new ArrayList<>();
    for (Component component : components(type)) {
      if (component.type() instanceof SettingType.Section section) {
        all.addAll(of(section.type(), keyPrefix + component.key() + "."));
      } else {
        all.add(component.info(keyPrefix));
      }
    }
    return List.copyOf(all);
  }

  static List<Component> components(Class<? extends Record> type) {
    List<Component> components = new ArrayList<>();
    for (RecordComponent declared : type.getRecordComponents()) {
      components.add(Component.of(declared));
    }
    return components;
  }

  /** {@code readTimeout} is {@code read-timeout}. */
  static String kebab(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }

  /**
   * A component of a settings record with its checked declaration.
   *
   * @param key in kebab case, without prefix
   * @param type how it is read
   * @param setting its annotation
   */
  record Component(String key, SettingType type, Setting setting) {
    private static Component of(RecordComponent declared) {
      String name =
          "["
              + declared.getDeclaringRecord().getName()
              + "] component ["
              + declared.getName()
              + "]";
      Setting setting = declared.getAnnotation(Setting.class);
      if (setting == null) {
        throw new IllegalArgumentException(name + " carries no @Setting");
      }
      Component component =
          new Component(kebab(declared.getName()), SettingType.of(declared), setting);
      try {
        component.checkDeclaration();
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
      }
      return component;
    }

    private void checkDeclaration() {
      if (setting.doc().isBlank()) {
        throw new IllegalArgumentException("says nothing in doc");
      }
      switch (type) {
        case SettingType.Single single -> {
          if (!setting.def().isEmpty()) {
            checked(single, setting.def());
          }
        }
        case SettingType.Many many ->
            SettingType.items(setting.def()).forEach(item -> checked(many.item(), item));
        case SettingType.Section _, SettingType.Texts _, SettingType.Tree _ -> {}
      }
    }

    /** Whether the file or a flag must set it. Sections and open maps may always be left out. */
    boolean required() {
      return switch (type) {
        case SettingType.Single _, SettingType.Many _ -> setting.def().isEmpty();
        case SettingType.Section _, SettingType.Texts _, SettingType.Tree _ -> false;
      };
    }

    /**
     * Parses a value and holds it against the limits.
     *
     * @throws IllegalArgumentException with a message for users
     */
    Object checked(SettingType.Single single, String text) {
      Object value = single.parse().apply(text);
      Comparator<Object> order = single.order();
      limit(single, order, setting.min(), "min", value, text);
      limit(single, order, setting.max(), "max", value, text);
      return value;
    }

    private void limit(
        SettingType.Single single,
        @Nullable Comparator<Object> order,
        String limit,
        String kind,
        Object value,
        String text) {
      if (limit.isEmpty()) {
        return;
      }
      if (order == null) {
        throw new IllegalArgumentException(
            "declares " + kind + " [" + limit + "] but " + single.name() + " has no order");
      }
      int compared = order.compare(value, single.parse().apply(limit));
      if (kind.equals("min") && compared < 0) {
        throw new IllegalArgumentException("[" + text + "] is below the minimum of " + limit);
      }
      if (kind.equals("max") && compared > 0) {
        throw new IllegalArgumentException("[" + text + "] is above the maximum of " + limit);
      }
    }

    SettingInfo info(String keyPrefix) {
      List<String> choices =
          switch (type) {
            case SettingType.Single single -> single.choices();
            case SettingType.Many many -> many.item().choices();
            case SettingType.Section _, SettingType.Texts _, SettingType.Tree _ -> List.of();
          };
      boolean open = type instanceof SettingType.Texts || type instanceof SettingType.Tree;
      return new SettingInfo(
          keyPrefix + key,
          type.name(),
          open ? "{}" : setting.def(),
          setting.min(),
          setting.max(),
          setting.doc(),
          required(),
          choices);
    }
  }
}
