package io.orbitkv.kernel;

import io.orbitkv.api.backing.StoredKey;

/**
 * Decides which chains are written to the backing tier: a policy's prepared answers, since nothing
 * may take its time here. Dispatcher; quick, never throws, decides by what it is told alone.
 */
@FunctionalInterface
public interface WriteAdmission {
  /** Everything is written: the built-in default. */
  WriteAdmission ALL = piece -> true;

  /**
   * Whether pages that follow one another on a chain are to be written. What follows on the chain
   * in the same publish is not asked for again; what follows a refused page is refused.
   */
  boolean admits(Piece piece);

  /**
   * The first of such pages.
   *
   * @param first its name
   * @param pageBytes bytes of the runs of each page
   * @param depth pages before it on its chain that wait to be written too
   */
  record Piece(StoredKey first, long pageBytes, int depth) {}
}
