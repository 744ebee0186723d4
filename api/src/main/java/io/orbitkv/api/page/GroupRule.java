package io.orbitkv.api.page;

/**
 * Which pages of a group must be present before a model can go on from a boundary.
 *
 * <p>Source of the rules: the recovery contract of hybrid models, where full attention needs the
 * whole prefix, a sliding window its last pages, and a recurrent state exactly the checkpoint at
 * the boundary.
 */
public sealed interface GroupRule {
  /**
   * Number of pages, counted back from the boundary, that the group needs.
   *
   * @param spanPages pages between the start of the span and the boundary, not negative
   * @param pageTokens tokens in a page, positive
   * @return between 0 and {@code spanPages}
   */
  int requiredPages(int spanPages, int pageTokens);

  /** Full attention (MHA, GQA or MLA): every page from the origin. */
  record Prefix() implements GroupRule {
    @Override
    public int requiredPages(int spanPages, int pageTokens) {
      return spanPages;
    }
  }

  /**
   * Sliding-window attention.
   *
   * @param tokens past tokens that the next token attends to, positive
   */
  record Window(int tokens) implements GroupRule {
    /**
     * @throws IllegalArgumentException when {@code tokens} is not positive
     */
    public Window {
      if (tokens <= 0) {
        throw new IllegalArgumentException("window of [" + tokens + "] tokens: must be positive");
      }
    }

    @Override
    public int requiredPages(int spanPages, int pageTokens) {
      return Math.min(spanPages, Math.ceilDiv(tokens, pageTokens));
    }
  }

  /** Recurrent or convolution state: the one page that ends at the boundary. */
  record Checkpoint() implements GroupRule {
    @Override
    public int requiredPages(int spanPages, int pageTokens) {
      return Math.min(spanPages, 1);
    }
  }
}
