package io.orbitkv.testkit.policy;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes a settings record from its defaults and from values as the configuration writes them. */
final class SettingsReader {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})\\s*(ns|us|ms|s|m|h|d)");

  private SettingsReader() {}

  /**
   * A record of the defaults, but for the values named.
   *
   * @param values by key in kebab case
   * @throws IllegalArgumentException naming the setting when a value is missing, unknown, of
   *     another form or outside its limits, or when the record cannot be made from here
   */
  static <S extends Record> S read(Class<S> type, Map<String, String> values) {
    RecordComponent[] components = type.getRecordComponents();
    Map<String, String> left = new TreeMap<>(values);
    Object[] arguments = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String key = key(components[i]);
      Setting setting = setting(components[i]);
      String text = left.containsKey(key) ? left.remove(key) : setting.def();
      arguments[i] = value(components[i], key, text, setting);
    }
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          left.keySet()
              + " are no settings: there are "
              + Arrays.stream(components).map(SettingsReader::key).toList());
    }
    return make(type, components, arguments);
  }

  /** The keys with their descriptions, in order. */
  static Map<String, Setting> describe(Class<? extends Record> type) {
    Map<String, Setting> all = new LinkedHashMap<>();
    for (RecordComponent component : type.getRecordComponents()) {
      all.put(key(component), setting(component));
    }
    return all;
  }

  private static String key(RecordComponent component) {
    return component.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }

  private static Setting setting(RecordComponent component) {
    Setting setting = component.getAnnotation(Setting.class);
    if (setting == null) {
      throw new IllegalArgumentException(
          "component [" + component.getName() + "] carries no @Setting");
    }
    return setting;
  }

  private static Object value(RecordComponent component, String key, String text, Setting setting) {
    if (text.isEmpty() && component.getType() != String.class) {
      throw new IllegalArgumentException("setting [" + key + "] has no default: give it a value");
    }
    try {
      Object value = parse(component.getGenericType(), text);
      checkLimits(component.getGenericType(), value, setting);
      return value;
    } catch (RuntimeException wrong) {
      throw new IllegalArgumentException("setting [" + key + "]: " + wrong.getMessage(), wrong);
    }
  }

  private static Object parse(Type type, String text) {
    if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
      List<Object> items = new ArrayList<>();
      for (String item : text.strip().replaceAll("^\\[|]$", "").split(",", -1)) {
        if (!item.isBlank()) {
          items.add(parse(list.getActualTypeArguments()[0], item.strip()));
        }
      }
      return List.copyOf(items);
    }
    if (!(type instanceof Class<?> plain)) {
      throw new IllegalArgumentException("[" + type + "] is no type of a setting");
    }
    if (plain == boolean.class || plain == Boolean.class) {
      return bool(text);
    } else if (plain == int.class || plain == Integer.class) {
      return Integer.valueOf(text);
    } else if (plain == long.class || plain == Long.class) {
      return Long.valueOf(text);
    } else if (plain == double.class || plain == Double.class) {
      return Double.valueOf(text);
    } else if (plain == String.class) {
      return text;
    } else if (plain == ByteSize.class) {
      return ByteSize.parse(text);
    } else if (plain == Duration.class) {
      return duration(text);
    } else if (plain.isEnum()) {
      return constant(plain, text);
    }
    throw new IllegalArgumentException("[" + type + "] is no type of a setting");
  }

  private static Boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("[" + text + "] is neither true nor false");
    };
  }

  private static Duration duration(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "[" + text + "] is not a duration: write a whole number and a unit, such as 100ms");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ns" -> Duration.ofNanos(amount);
      case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000L));
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  private static Object constant(Class<?> type, String text) {
    List<String> known = new ArrayList<>();
    for (Object constant : type.getEnumConstants()) {
      String name = ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (name.equals(text)) {
        return constant;
      }
      known.add(name);
    }
    throw new IllegalArgumentException("[" + text + "] is none of " + known);
  }

  private static void checkLimits(Type type, Object value, Setting setting) {
    if (!(value instanceof Number || value instanceof ByteSize || value instanceof Duration)) {
      return;
    }
    if (!setting.min().isEmpty() && compare(value, parse(type, setting.min())) < 0) {
      throw new IllegalArgumentException("[" + value + "] is less than " + setting.min());
    }
    if (!setting.max().isEmpty() && compare(value, parse(type, setting.max())) > 0) {
      throw new IllegalArgumentException("[" + value + "] is more than " + setting.max());
    }
  }

  private static int compare(Object one, Object other) {
    return switch (one) {
      case ByteSize size -> size.compareTo((ByteSize) other);
      case Duration duration -> duration.compareTo((Duration) other);
      case Double number -> number.compareTo((Double) other);
      default -> Long.compare(((Number) one).longValue(), ((Number) other).longValue());
    };
  }

  private static <S extends Record> S make(
      Class<S> type, RecordComponent[] components, Object[] arguments) {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      Constructor<S> constructor = type.getDeclaredConstructor(types);
      // The Manager opens the package of a plugin's settings to itself in the same way.
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException refused) {
      throw new IllegalArgumentException(
          "[" + type.getName() + "] refuses " + Arrays.toString(arguments), refused.getCause());
    } catch (ReflectiveOperationException | RuntimeException closed) {
      throw new IllegalArgumentException(
          "["
              + type.getName()
              + "] cannot be made from here: open its package to the testkit, or give the settings"
              + " as a record",
          closed);
    }
  }
}
