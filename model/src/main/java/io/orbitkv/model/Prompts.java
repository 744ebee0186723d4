package io.orbitkv.model;

/**
 * Requests as numbers of pages, and what is known of each page: a whole trace, or the request that
 * is served now. One thread, or immutable.
 */
interface Prompts {
  /** Pages of request {@code r}. */
  int pages(int r);

  /** Page number {@code i} of request {@code r}. */
  int page(int r, int i);

  /** The conversation of request {@code r}. */
  long chainRoot(int r);

  /** Different pages at most: page numbers are below. */
  int distinctPages();

  /** Identity of a page, the same for equal pages everywhere. */
  long id(int page);

  /** The page before it, or {@link ModelTrace#NONE}. */
  int parent(int page);

  /** Pages before it in its chain. */
  int depth(int page);

  /** The conversation of a page as a number in [0, 1). */
  double unitHash(int page);
}
