package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.process.ManagerStartException;
import java.io.IOException;

/** Does one whole run of a variant, from its declared start state to its drain. */
public interface ArmRunner {
  /** Runs. Every call plays the same requests. */
  RunOutcome run(Arm arm) throws IOException, InterruptedException, ManagerStartException;

  /** Any thread: ends the run that is under way, which returns what it has. */
  void cancel();
}
