package io.orbitkv.policy.arrivallookahead;

import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Prepares the first accepted requests that the engine has not started, in the order in which they
 * arrived. For engines whose requests wait in a queue while the backing tier has time to read: the
 * pages are in host memory and held when the request's turn comes.
 *
 * <p>A request that has all its known pages on the device or in host memory is passed over, since
 * there is nothing to read; so is one whose range exceeds {@code largest-range}, as a whole and not
 * in part; and one of a model with several groups of pages unless {@code multi-group} allows it.
 * Those that are passed over still count as considered: the policy looks at the head of the queue
 * alone. It foretells neither priorities nor preemption.
 *
 * <p>The owned preparation (arrival-order lookahead) of the seed documents. Off by default: they
 * found a gain on one engine and longer tails on another.
 */
final class ArrivalLookahead implements LookaheadPolicy {
  /** Engines whose last choice is remembered; that of the longest silent one is forgotten. */
  private static final int MOST_INSTANCES = 64;

  private final Settings settings;

  /*
   * Once a request's pages are read they count as resident, and a choice without it would give them
   * up. So what was chosen stays chosen while it waits at the head of the queue.
   */
  private final Map<String, Set<String>> chosenByInstance =
      new LinkedHashMap<>(16, 0.75f, true) {
        @java.io.Serial private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
          return size() > MOST_INSTANCES;
        }
      };

  /**
   * How far it looks ahead.
   *
   * @param requests at the head of the queue
   * @param largestRange bytes of one request
   * @param multiGroup whether models with several groups of pages are prepared for
   */
  public record Settings(
      @Setting(
              def = "4",
              min = "1",
              max = "4",
              doc = "accepted requests at the head of the queue that are considered")
          int requests,
      @Setting(
              def = "0b",
              min = "0b",
              max = "1tb",
              doc =
                  "bytes of one request beyond which it is passed over; 0: what fits into the"
                      + " speculative share, which the kernel sees to")
          ByteSize largestRange,
      @Setting(
              def = "false",
              doc =
                  "whether requests of models with several groups of pages are prepared too; their"
                      + " boundary may be another one when their turn comes")
          boolean multiGroup) {}

  ArrivalLookahead(Settings settings, PolicyContext context) {
    this.settings = settings;
  }

  @Override
  public List<Integer> prepare(List<RequestFacts> queue) {
    List<Integer> choice = new ArrayList<>(settings.requests());
    Map<String, Set<String>> chosenNow = new HashMap<>();
    int considered = 0;
    for (int i = 0; i < queue.size(); i++) {
      RequestFacts request = queue.get(i);
      Set<String> chosen =
          chosenNow.computeIfAbsent(request.instance(), _ -> new HashSet<>(settings.requests()));
      if (request.executing() || considered == settings.requests()) {
        continue;
      }
      considered++;
      if (chosenBefore(request) || worthwhile(request)) {
        choice.add(i);
        chosen.add(request.requestId());
      }
    }
    chosenByInstance.putAll(chosenNow);
    return choice;
  }

  private boolean chosenBefore(RequestFacts request) {
    Set<String> chosen = chosenByInstance.get(request.instance());
    return chosen != null && chosen.contains(request.requestId());
  }

  private boolean worthwhile(RequestFacts request) {
    if (request.ssdPages() <= 0 || (request.groups() > 1 && !settings.multiGroup())) {
      return false;
    }
    long largest = settings.largestRange().bytes();
    return largest == 0 || rangeBytes(request) <= largest;
  }

  /** Bytes that a preparation holds: pages in host memory too, but not those on the device. */
  private static double rangeBytes(RequestFacts request) {
    double pageBytes =
        request.chain().pages() <= 0
            ? 0
            : (double) request.chain().bytes() / request.chain().pages();
    return pageBytes * ((double) Math.max(0, request.dramPages()) + request.ssdPages());
  }
}
