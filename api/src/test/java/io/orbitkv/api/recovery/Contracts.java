package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.Namespace;
import java.util.ArrayList;
import java.util.List;

/** Contracts and evidence in few words. */
final class Contracts {
  static final Namespace MODEL = new Namespace("a".repeat(64));
  static final Namespace FOREIGN = new Namespace("b".repeat(64));
  static final GroupRule PREFIX = new GroupRule.Prefix();
  static final GroupRule CHECKPOINT = new GroupRule.Checkpoint();

  private Contracts() {}

  static GroupRule window(int tokens) {
    return new GroupRule.Window(tokens);
  }

  /** A contract of groups with these rules, from group 0. */
  static RecoveryContract contract(int pageTokens, GroupRule... rules) {
    List<GroupSpec> groups = new ArrayList<>();
    for (GroupRule rule : rules) {
      groups.add(new GroupSpec(groups.size(), rule));
    }
    return RecoveryContract.of(MODEL, pageTokens, groups);
  }

  /** Evidence of groups with these page ends, from group 0. */
  static BoundaryEvidence evidence(int startToken, int endToken, int[]... endsOfGroup) {
    List<GroupEvidence> groups = new ArrayList<>();
    for (int[] ends : endsOfGroup) {
      groups.add(new GroupEvidence(groups.size(), ends));
    }
    return new BoundaryEvidence(MODEL, startToken, endToken, groups);
  }

  static int[] ends(int... ends) {
    return ends;
  }

  /** The ends of all pages of a span. */
  static int[] allEnds(int pageTokens, int startToken, int endToken) {
    int[] ends = new int[(endToken - startToken) / pageTokens];
    for (int page = 0; page < ends.length; page++) {
      ends[page] = startToken + (page + 1) * pageTokens;
    }
    return ends;
  }
}
