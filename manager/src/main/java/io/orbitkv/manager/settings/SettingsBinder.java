package io.orbitkv.manager.settings;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Reflection is on the canonical constructor and nothing else. A record in a package that its module
 * does not export is reached because the plugin host opens that package to this module. Nothing is
 * cached by class: such a cache would keep an unloaded plugin's loader alive.
 */

/** Binds sections of a configuration to settings records. One binder serves one binding. */
public final class SettingsBinder {
  private final Map<String, ConfigNode> overrides;
  private final Set<String> usedOverrides = new HashSet<>();
  private final Problems problems;
  private final boolean goesOn;
  private final List<BoundValue> values = new ArrayList<>();
  private final Set<String> failed = new HashSet<>();

  /**
   * @param overrides values by full key that stand before those of the file
   * @param problems where to note what is wrong
   */
  public SettingsBinder(Map<String, ConfigNode> overrides, Problems problems) {
    this(overrides, problems, false);
  }

  private SettingsBinder(Map<String, ConfigNode> overrides, Problems problems, boolean goesOn) {
    this.overrides = new LinkedHashMap<>(overrides);
    this.problems = problems;
    this.goesOn = goesOn;
  }

  /**
   * One that takes the default in the place of a wrong value, so that what follows from the right
   * ones can be checked too. {@link #failed} has the keys for which it did.
   */
  public static SettingsBinder goingOn(Map<String, ConfigNode> overrides, Problems problems) {
    return new SettingsBinder(overrides, problems, true);
  }

  /** Keys, of values and of sections, whose default stands for something wrong. */
  public Set<String> failed() {
    return Set.copyOf(failed);
  }

  /**
   * Binds one section.
   *
   * @param type record whose components carry {@link io.orbitkv.api.settings.Setting}
   * @param section what is set; null when nothing is
   * @param keyPrefix for messages: the section's key with a dot behind it, or empty
   * @return a record with every value parsed and checked
   * @throws ConfigException with everything that is wrong
   */
  public static <S extends Record> S bind(
      Class<S> type, ConfigNode.@Nullable Mapping section, String keyPrefix) {
    return bind(type, section, keyPrefix, Map.of());
  }

  /**
   * Binds one section of which something is set elsewhere.
   *
   * @param overrides values by full key that stand before those of the section
   * @throws ConfigException with everything that is wrong
   */
  public static <S extends Record> S bind(
      Class<S> type,
      ConfigNode.@Nullable Mapping section,
      String keyPrefix,
      Map<String, ConfigNode> overrides) {
    Problems problems = new Problems();
    S bound = new SettingsBinder(overrides, problems).section(type, section, keyPrefix);
    problems.throwIfAny();
    if (bound == null) {
      throw new AssertionError("no settings and no problem: [" + type.getName() + "]");
    }
    return bound;
  }

  /**
   * Binds a section and notes what is wrong.
   *
   * @return null when something is wrong, which is noted then
   */
  public <S extends Record> @Nullable S section(
      Class<S> type, ConfigNode.@Nullable Mapping section, String keyPrefix) {
    List<SettingsSchema.Component> components = SettingsSchema.components(type);
    if (section != null) {
      refuseUnknownKeys(section, components, keyPrefix);
    }
    @Nullable Object[] arguments = new Object[components.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = component(components.get(i), section, keyPrefix);
    }
    if (Arrays.asList(arguments).contains(null)) {
      return null;
    }
    return construct(type, arguments, section, keyPrefix);
  }

  /** Every setting that was bound, in the order of the records. */
  public List<BoundValue> values() {
    return List.copyOf(values);
  }

  /** Overrides that named no setting: a mistake of whoever offers the flag. */
  public Set<String> unusedOverrides() {
    Set<String> unused = new java.util.TreeSet<>(overrides.keySet());
    unused.removeAll(usedOverrides);
    return unused;
  }

  private void refuseUnknownKeys(
      ConfigNode.Mapping section, List<SettingsSchema.Component> components, String keyPrefix) {
    List<String> known = components.stream().map(SettingsSchema.Component::key).toList();
    for (ConfigNode.Entry entry : section.entries()) {
      if (!known.contains(entry.key())) {
        problems.add(
            entry.keyPlace(),
            keyPrefix + entry.key(),
            "[" + entry.key() + "] is not a key: " + Nearest.suggestion(entry.key(), known));
      }
    }
  }

  private @Nullable Object component(
      SettingsSchema.Component component, ConfigNode.@Nullable Mapping section, String keyPrefix) {
    String key = keyPrefix + component.key();
    ConfigNode node = overrides.get(key);
    if (node != null) {
      usedOverrides.add(key);
    } else if (section != null) {
      node = section.entry(component.key()).map(ConfigNode.Entry::value).orElse(null);
    }
    if (component.type() instanceof SettingType.Section nested) {
      Object bound = nested(nested, node, key);
      return bound == null && goesOn ? defaults(nested, key) : bound;
    }
    Object value = value(component, node, section, keyPrefix);
    if (value == null && goesOn && !component.required()) {
      failed.add(key);
      return byDefault(component);
    }
    return value;
  }

  private @Nullable Object defaults(SettingType.Section nested, String key) {
    failed.add(key);
    return new SettingsBinder(Map.of(), new Problems()).section(nested.type(), null, key + ".");
  }

  private @Nullable Object value(
      SettingsSchema.Component component,
      @Nullable ConfigNode node,
      ConfigNode.@Nullable Mapping section,
      String keyPrefix) {
    String key = keyPrefix + component.key();
    if (node instanceof ConfigNode.Scalar scalar && scalar.absent()) {
      problems.add(
          scalar.place(), key, "has no value: write one, or leave the key out for the default");
      return null;
    }
    Object value;
    if (node != null) {
      value = written(component, node, key);
    } else if (component.required()) {
      problems.add(
          section == null ? new Place("settings", 0, 0) : section.place(),
          key,
          "is required: " + component.setting().doc());
      return null;
    } else {
      value = byDefault(component);
    }
    if (value != null) {
      Origin origin = node == null ? new Origin.Default() : Origin.of(node.place());
      values.add(new BoundValue(component.info(keyPrefix), SettingType.format(value), origin));
    }
    return value;
  }

  private @Nullable Object nested(
      SettingType.Section nested, @Nullable ConfigNode node, String key) {
    return switch (node) {
      case null -> section(nested.type(), null, key + ".");
      case ConfigNode.Mapping mapping -> section(nested.type(), mapping, key + ".");
      case ConfigNode.Scalar scalar when scalar.absent() -> section(nested.type(), null, key + ".");
      case ConfigNode.Scalar _, ConfigNode.Sequence _ -> {
        problems.add(
            node.place(), key, node.kind() + " stands where a section with keys is expected");
        yield null;
      }
    };
  }

  private @Nullable Object written(
      SettingsSchema.Component component, ConfigNode node, String key) {
    return switch (component.type()) {
      case SettingType.Single single -> single(component, single, node, key);
      case SettingType.Many many -> many(component, many, node, key);
      case SettingType.Texts _ -> texts(node, key);
      case SettingType.Tree _ -> tree(node, key);
      case SettingType.Section section -> nested(section, node, key);
    };
  }

  private @Nullable Object single(
      SettingsSchema.Component component, SettingType.Single single, ConfigNode node, String key) {
    if (!(node instanceof ConfigNode.Scalar scalar)) {
      problems.add(
          node.place(), key, node.kind() + " stands where one " + single.name() + " is expected");
      return null;
    }
    try {
      return component.checked(single, scalar.text());
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      problems.add(scalar.place(), key, String.valueOf(wrong.getMessage()));
      return null;
    }
  }

  private @Nullable Object many(
      SettingsSchema.Component component, SettingType.Many many, ConfigNode node, String key) {
    if (!(node instanceof ConfigNode.Sequence sequence)) {
      problems.add(
          node.place(),
          key,
          node.kind() + " stands where a " + many.name() + " is expected: write [a, b]");
      return null;
    }
    List<Object> items = new ArrayList<>();
    for (ConfigNode item : sequence.items()) {
      Object value = single(component, many.item(), item, key);
      if (value != null) {
        items.add(value);
      }
    }
    return items.size() == sequence.items().size() ? List.copyOf(items) : null;
  }

  private @Nullable Object texts(ConfigNode node, String key) {
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      problems.add(
          node.place(), key, node.kind() + " stands where a section with keys is expected");
      return null;
    }
    Map<String, String> texts = new LinkedHashMap<>();
    boolean good = true;
    for (ConfigNode.Entry entry : mapping.entries()) {
      if (entry.value() instanceof ConfigNode.Scalar scalar && !scalar.absent()) {
        texts.put(entry.key(), scalar.text());
      } else {
        good = false;
        problems.add(
            entry.value().place(),
            key + "." + entry.key(),
            entry.value().kind() + " stands where a text is expected");
      }
    }
    return good ? java.util.Collections.unmodifiableMap(texts) : null;
  }

  private @Nullable Object tree(ConfigNode node, String key) {
    if (node instanceof ConfigNode.Mapping mapping) {
      return mapping;
    }
    problems.add(node.place(), key, node.kind() + " stands where a section with keys is expected");
    return null;
  }

  private static Object byDefault(SettingsSchema.Component component) {
    return switch (component.type()) {
      case SettingType.Single single -> component.checked(single, component.setting().def());
      case SettingType.Many many ->
          SettingType.items(component.setting().def()).stream()
              .map(item -> component.checked(many.item(), item))
              .toList();
      case SettingType.Texts _ -> Map.of();
      case SettingType.Tree _ -> ConfigNode.Mapping.empty(new Place("default", 0, 0));
      case SettingType.Section section ->
          throw new AssertionError("a section binds itself: [" + section.type() + "]");
    };
  }

  private <S extends Record> @Nullable S construct(
      Class<S> type,
      @Nullable Object[] arguments,
      ConfigNode.@Nullable Mapping section,
      String keyPrefix) {
    String key = keyPrefix.isEmpty() ? "" : keyPrefix.substring(0, keyPrefix.length() - 1);
    Place place = section == null ? new Place("settings", 0, 0) : section.place();
    try {
      Class<?>[] parameters =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      Constructor<S> constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException refused) {
      Throwable cause = refused.getCause();
      problems.add(place, key, cause == null ? "was refused" : describe(cause));
      return null;
    } catch (ReflectiveOperationException | RuntimeException unreachable) {
      throw new IllegalArgumentException(
          "settings record [" + type.getName() + "] cannot be made: " + unreachable.getMessage(),
          unreachable);
    }
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    return cause instanceof IllegalArgumentException && message != null
        ? message
        : "was refused: " + cause;
  }
}
