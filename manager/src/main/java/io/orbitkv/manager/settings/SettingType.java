package io.orbitkv.manager.settings;

import io.orbitkv.api.settings.ByteSize;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How the component of a settings record is read. */
sealed interface SettingType {
  /** In words. */
  String name();

  /**
   * A value.
   *
   * @param name in words
   * @param parse from text; throws {@link IllegalArgumentException} with a message for users
   * @param order for limits; null when the type has none
   * @param choices legal values when they can be listed
   */
  record Single(
      String name,
      Function<String, Object> parse,
      @Nullable Comparator<Object> order,
      List<String> choices)
      implements SettingType {}

  /**
   * A list of values.
   *
   * @param item type of each
   */
  record Many(Single item) implements SettingType {
    @Override
    public String name() {
      return "list of " + item.name();
    }
  }

  /**
   * A section with settings of its own.
   *
   * @param type its record
   */
  record Section(Class<? extends Record> type) implements SettingType {
    @Override
    public String name() {
      return "section";
    }
  }

  /** Names that the user chooses, each with a text. */
  record Texts() implements SettingType {
    @Override
    public String name() {
      return "section of texts";
    }
  }

  /** A section whose keys are known elsewhere. */
  record Tree() implements SettingType {
    @Override
    public String name() {
      return "section";
    }
  }

  /**
   * The type of a component. Sections, shares and open maps are for the Manager's own records.
   *
   * @throws IllegalArgumentException when a setting cannot have the component's type
   */
  static SettingType of(RecordComponent component) {
    boolean own = component.getDeclaringRecord().getModule() == SettingType.class.getModule();
    Class<?> type = component.getType();
    Type generic = component.getGenericType();
    if (type == List.class && generic instanceof ParameterizedType list) {
      if (list.getActualTypeArguments()[0] instanceof Class<?> item) {
        return new Many(single(item, own, component));
      }
    } else if (own && type == Map.class) {
      return new Texts();
    } else if (own && type == ConfigNode.Mapping.class) {
      return new Tree();
    } else if (own && type.isRecord() && type != ByteSize.class) {
      return new Section(type.asSubclass(Record.class));
    }
    return single(type, own, component);
  }

  private static Single single(Class<?> type, boolean own, RecordComponent component) {
    if (type == boolean.class) {
      return new Single("boolean", SettingType::parseBoolean, null, List.of("true", "false"));
    }
    if (type == int.class) {
      return ordered("integer", Integer.class, SettingType::parseInt);
    }
    if (type == long.class) {
      return ordered("integer", Long.class, SettingType::parseLong);
    }
    if (type == double.class) {
      return ordered("number", Double.class, SettingType::parseDouble);
    }
    if (type == String.class) {
      return new Single("text", SettingType::unquote, null, List.of());
    }
    if (type == ByteSize.class) {
      return ordered("size", ByteSize.class, ByteSize::parse);
    }
    if (type == Duration.class) {
      return ordered("duration", Duration.class, Durations::parse);
    }
    if (own && type == Share.class) {
      return new Single("auto, size or percentage", Share::parse, null, List.of());
    }
    if (type.isEnum()) {
      return choice(type.getEnumConstants());
    }
    throw new IllegalArgumentException(
        "["
            + component.getDeclaringRecord().getName()
            + "] component ["
            + component.getName()
            + "] has type ["
            + component.getGenericType().getTypeName()
            + "], which no setting can have");
  }

  private static <T extends Comparable<T>> Single ordered(
      String name, Class<T> type, Function<String, T> parse) {
    Comparator<Object> order = (left, right) -> type.cast(left).compareTo(type.cast(right));
    return new Single(name, parse::apply, order, List.of());
  }

  private static Single choice(Object[] constants) {
    List<String> names = Arrays.stream(constants).map(SettingType::format).toList();
    Function<String, Object> parse =
        text -> {
          int at = names.indexOf(text.strip());
          if (at < 0) {
            throw new IllegalArgumentException(
                "[" + text + "] is not one of [" + String.join(", ", names) + "]");
          }
          return constants[at];
        };
    return new Single("choice", parse, null, names);
  }

  private static Object parseBoolean(String text) {
    return switch (text.strip()) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "[" + text + "] is not a boolean: write true or false");
    };
  }

  private static Integer parseInt(String text) {
    long value = parseLong(text);
    if (value != (int) value) {
      throw new IllegalArgumentException(
          "[" + text + "] is not between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE);
    }
    return (int) value;
  }

  private static Long parseLong(String text) {
    String form = text.strip();
    if (!form.matches("[+-]?\\d+")) {
      throw new IllegalArgumentException(
          "[" + text + "] is not a whole number: write digits only, such as 64");
    }
    try {
      return Long.valueOf(form);
    } catch (NumberFormatException tooLong) {
      throw new IllegalArgumentException("[" + text + "] has too many digits", tooLong);
    }
  }

  private static Double parseDouble(String text) {
    String form = text.strip();
    if (!form.matches("[+-]?(\\d{1,300}(\\.\\d{0,300})?|\\.\\d{1,300})([eE][+-]?\\d{1,3})?")) {
      throw new IllegalArgumentException("[" + text + "] is not a number: write one such as 0.25");
    }
    double value = Double.parseDouble(form);
    if (Double.isInfinite(value)) {
      throw new IllegalArgumentException("[" + text + "] is too large for a number");
    }
    return value;
  }

  /** Defaults in annotations can be empty texts only in quotes. */
  private static String unquote(String text) {
    boolean quoted = text.equals("''") || text.equals("\"\"");
    return quoted ? "" : text;
  }

  /** The canonical form of a bound value. */
  static String format(Object value) {
    return switch (value) {
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
      case Duration duration -> Durations.format(duration);
      case Collection<?> items ->
          items.stream().map(SettingType::format).collect(Collectors.joining(", ", "[", "]"));
      case Map<?, ?> texts ->
          texts.entrySet().stream()
              .map(entry -> entry.getKey() + ": " + format(entry.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
      case ConfigNode node -> format(node);
      default -> value.toString();
    };
  }

  private static String format(ConfigNode node) {
    return switch (node) {
      case ConfigNode.Scalar scalar -> scalar.text();
      case ConfigNode.Sequence sequence ->
          sequence.items().stream()
              .map(item -> format(item))
              .collect(Collectors.joining(", ", "[", "]"));
      case ConfigNode.Mapping mapping ->
          mapping.entries().stream()
              .map(entry -> entry.key() + ": " + format(entry.value()))
              .collect(Collectors.joining(", ", "{", "}"));
    };
  }

  /** The items of a list in its written form, {@code [a, b]} or {@code a, b}. */
  static List<String> items(String text) {
    String form = text.strip();
    if (form.startsWith("[") && form.endsWith("]")) {
      form = form.substring(1, form.length() - 1);
    }
    List<String> items = new ArrayList<>();
    for (String item : form.split(",", -1)) {
      if (!item.isBlank()) {
        items.add(item.strip());
      }
    }
    return List.copyOf(items);
  }
}
