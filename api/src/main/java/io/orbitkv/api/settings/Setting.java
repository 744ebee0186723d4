package io.orbitkv.api.settings;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes one component of a settings record. Parsing, checks with file, line and key, {@code
 * config schema}, {@code plugins describe} and the reference page all derive from it. The key in
 * the configuration is the component's name in kebab case ({@code readTimeout} is {@code
 * read-timeout}).
 *
 * <p>Component types: {@code boolean}, {@code int}, {@code long}, {@code double}, {@code String},
 * an enum (in kebab case), {@link ByteSize}, {@link java.time.Duration} (such as {@code 100ms},
 * {@code 5s}, {@code 10m}), and lists of these.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /** The default, written as in the configuration. Empty means that the setting is required. */
  String def() default "";

  /** Smallest legal value, written as in the configuration; empty for none. */
  String min() default "";

  /** Largest legal value, written as in the configuration; empty for none. */
  String max() default "";

  /** One line that says what it does, with its unit. */
  String doc();
}
