package io.orbitkv.api.page;

import java.util.Locale;

/**
 * What two engine instances must have in common before they may share bytes: weights, tokenizer,
 * engine release, data types, attention backend, page size, parallel shape and, when the operator
 * asks for it, a tenant. The client forms the digest; the Manager adds the geometry of the
 * registered layers, so that a wrong digest alone never mixes shapes.
 *
 * @param digest 64 lower-case hexadecimal digits (SHA-256)
 */
public record Namespace(String digest) {
  /** Number of hexadecimal digits of a digest. */
  public static final int HEX_DIGITS = 64;

  /**
   * @throws IllegalArgumentException when {@code digest} is not 64 hexadecimal digits
   */
  public Namespace {
    if (digest.length() != HEX_DIGITS
        || !digest.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
      throw new IllegalArgumentException(
          "namespace ["
              + digest
              + "] is not a SHA-256 digest of "
              + HEX_DIGITS
              + " hexadecimal digits");
    }
    digest = digest.toLowerCase(Locale.ROOT);
  }
}
