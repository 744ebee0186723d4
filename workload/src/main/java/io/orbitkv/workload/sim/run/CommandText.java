package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import java.util.Arrays;

/** Commands for people. */
final class CommandText {
  private CommandText() {}

  static String of(Command command) {
    return switch (command) {
      case Command.Answer c ->
          "Answer "
              + c.session()
              + "/"
              + c.operation()
              + "."
              + c.revision()
              + " record "
              + c.record()
              + " "
              + c.state()
              + " hits "
              + c.hits()
              + (c.lease().isNone() ? "" : " lease " + c.lease())
              + (c.message().isEmpty() ? "" : " [" + c.message() + "]");
      case Command.Refused c ->
          "Refused "
              + c.session()
              + "/"
              + c.operation()
              + " "
              + c.error()
              + " ["
              + c.message()
              + "]";
      case Command.Copy c -> copy(c.plan());
      case Command.OpenDevice c -> "OpenDevice " + c.registration();
      case Command.CloseDevice c -> "CloseDevice " + c.registration();
      case Command.Attached c -> "Attached " + c.session() + "/" + c.operation();
      case Command.Candidates c ->
          "Candidates "
              + c.session()
              + "/"
              + c.operation()
              + " "
              + Arrays.toString(c.groups())
              + " "
              + Arrays.toString(c.positions());
      case Command.Registered c -> c.toString();
      case Command.Done c -> c.toString();
      case Command.CloseSession c -> c.toString();
      case Command.Read c -> {
        StringBuilder text = new StringBuilder("Read");
        for (var read : c.batch()) {
          text.append(' ').append(read.ticket()).append(":page ").append(read.key().key().low());
        }
        yield text.toString();
      }
      case Command.RaiseRead c -> "RaiseRead " + c.ticket();
      case Command.Write c -> "Write " + c.ticket() + ":page " + c.key().key().low();
      case Command.FlushStore c -> "FlushStore " + c.ticket();
      case Command.EmptyStore c -> "EmptyStore " + c.ticket();
      case Command.KeepGeometries c ->
          "KeepGeometries " + c.ticket() + ":" + c.kept().size() + " of " + c.scope().digest();
      case Command.ToPolicies c -> c.getClass().getSimpleName();
      case Command.ScoreStored c -> "ScoreStored " + c.keys().size();
      case Command.Drained c -> "Drained";
    };
  }

  private static String copy(CopyPlan plan) {
    StringBuilder text = new StringBuilder("Copy ").append(plan.id()).append(' ');
    text.append(plan.direction());
    if (plan.isStaged()) {
      text.append(" stage ").append(plan.stageSlot());
    }
    for (int i = 0; i < plan.pages(); i++) {
      text.append(' ').append(Long.toHexString(plan.hostAddress(i)));
      text.append('=').append(plan.devicePage(i));
    }
    return text.toString();
  }
}
