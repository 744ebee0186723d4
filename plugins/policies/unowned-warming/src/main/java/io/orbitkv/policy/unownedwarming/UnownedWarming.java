package io.orbitkv.policy.unownedwarming;

import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import io.orbitkv.api.settings.Setting;
import java.util.ArrayList;
import java.util.List;

/**
 * Warms the chains of accepted requests that have pages in a backing tier and that the engine has
 * not started, in the order in which they arrived. For engines with idle times between bursts: the
 * pages wait in host memory as the first to be evicted, and nobody owns them.
 *
 * <p>The kernel asks only while no foreground byte is owned, and warming changes no recency and
 * counts as no demand.
 *
 * <p>The unowned warming of the seed documents. Off by default.
 */
final class UnownedWarming implements WarmingPolicy {
  private final int requests;

  /**
   * How much it warms.
   *
   * @param requests most of them at once
   */
  public record Settings(
      @Setting(
              def = "4",
              min = "1",
              max = "16",
              doc = "most accepted requests whose pages are read ahead at once")
          int requests) {}

  UnownedWarming(Settings settings, PolicyContext context) {
    this.requests = settings.requests();
  }

  @Override
  public List<Integer> warm(List<RequestFacts> queue) {
    List<Integer> choice = new ArrayList<>(requests);
    for (int i = 0; i < queue.size() && choice.size() < requests; i++) {
      RequestFacts request = queue.get(i);
      if (!request.executing() && request.ssdPages() > 0) {
        choice.add(i);
      }
    }
    return choice;
  }
}
