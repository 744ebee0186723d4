/**
 * The plugin {@code fault-policies}, for tests alone: one policy for every slot that works, throws,
 * hangs, answers nonsense or answers late, as its settings say.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.faultpolicies {
  requires static org.jspecify;
  requires io.orbitkv.api;

  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.faultpolicies.FaultPoliciesPlugin;
}
