package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RequestFacts.Hint;
import io.orbitkv.api.policy.TierKind;
import java.util.ArrayList;
import java.util.List;

/**
 * A request that is put to a policy: 16 tokens a page, pages of 1 MiB that are nowhere, not
 * executing, of the instance {@code engine}, until said otherwise. Test thread.
 */
public final class RequestTrial {
  private final PolicyTester tester;
  private final String id;
  private final List<Hint> hints = new ArrayList<>();
  private String instance = "engine";
  private String scope = "";
  private int pages = 1;
  private int pageTokens = 16;
  private int tailTokens;
  private long pageBytes = 1 << 20;
  private int devicePages;
  private int dramPages;
  private int ssdPages;
  private boolean executing;
  private int groups = 1;

  RequestTrial(PolicyTester tester, String id) {
    this.tester = tester;
    this.id = id;
  }

  /** The engine instance. */
  public RequestTrial instance(String value) {
    instance = value;
    return this;
  }

  /** Tenant or workload. */
  public RequestTrial scope(String value) {
    scope = value;
    return this;
  }

  /** Complete pages of its prompt, and tokens and bytes of each. */
  public RequestTrial pages(int count, int tokens, long bytes) {
    pages = count;
    pageTokens = tokens;
    pageBytes = bytes;
    return this;
  }

  /** Complete pages of its prompt. */
  public RequestTrial pages(int count) {
    pages = count;
    return this;
  }

  /** Tokens after its last complete page. */
  public RequestTrial tail(int tokens) {
    tailTokens = tokens;
    return this;
  }

  /** Where its first pages are: on the device, then in host memory, then in the backing tier. */
  public RequestTrial resident(int device, int memory, int store) {
    devicePages = device;
    dramPages = memory;
    ssdPages = store;
    return this;
  }

  /** The engine has started it. */
  public RequestTrial executing() {
    executing = true;
    return this;
  }

  /** Groups of pages that its model needs. */
  public RequestTrial groups(int value) {
    groups = value;
    return this;
  }

  /** What the engine added. */
  public RequestTrial hint(String name, long value) {
    hints.add(new Hint(name, value));
    return this;
  }

  /** As a policy sees it. */
  public RequestFacts facts() {
    int known = devicePages + dramPages + ssdPages;
    ChainFacts chain =
        new ChainFacts(
            id.hashCode(),
            Facts.UNKNOWN,
            0,
            known,
            0,
            Math.multiplyExact(known, pageBytes),
            ssdPages > 0 ? TierKind.SSD : dramPages > 0 ? TierKind.DRAM : TierKind.DEVICE,
            Facts.UNKNOWN,
            0,
            0.5);
    return new RequestFacts(
        instance,
        id,
        scope,
        tester.context().nanoTime(),
        Math.addExact(Math.multiplyExact(pages, pageTokens), tailTokens),
        pages,
        chain,
        devicePages,
        dramPages,
        ssdPages,
        executing,
        hints,
        groups);
  }

  /** Asks how its read from the backing tier is limited. */
  public ReadLimits plan() {
    return tester.plan(facts());
  }
}
