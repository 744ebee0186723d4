package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.workload.sim.hardware.Mix;
import java.util.Arrays;

/** Hashes of commands: equal for equal commands, in every run. */
final class CommandDigest {
  long of(Command command) {
    return switch (command) {
      case Command.Answer c -> answer(c);
      case Command.Registered c -> Mix.add(Mix.of(2, c.session(), c.operation()), c.generation());
      case Command.Attached c -> Mix.add(Mix.of(3, c.session(), c.operation()), c.generation());
      case Command.Done c -> Mix.add(Mix.of(4, c.session(), c.operation()), c.value());
      case Command.Refused c ->
          Mix.add(
              Mix.add(Mix.of(5, c.session(), c.operation()), c.error().code()),
              c.message().hashCode());
      case Command.CloseSession c -> Mix.of(6, c.session(), c.reason().hashCode());
      case Command.OpenDevice c -> Mix.of(7, c.registration(), 0);
      case Command.CloseDevice c -> Mix.of(8, c.registration(), 0);
      case Command.Candidates c -> {
        long hash = Mix.of(9, c.session(), c.operation());
        for (int position : c.positions()) {
          hash = Mix.add(hash, position);
        }
        yield hash;
      }
      case Command.Read c -> {
        long hash = 10;
        for (var read : c.batch()) {
          hash = Mix.add(Mix.add(hash, read.ticket()), read.key().key().low());
          hash = Mix.add(hash, read.runs().getFirst().address());
        }
        yield hash;
      }
      case Command.RaiseRead c -> Mix.of(11, c.ticket(), 0);
      case Command.Write c -> Mix.of(12, c.ticket(), c.key().key().low());
      case Command.FlushStore c -> Mix.of(15, c.ticket(), 0);
      case Command.EmptyStore c -> Mix.of(16, c.ticket(), 0);
      case Command.KeepGeometries c -> Mix.of(17, c.ticket(), c.kept().size());
      case Command.Copy c -> copy(c.plan());
      case Command.ObservePages c -> pages(20, c.events());
      case Command.AskScores c -> pages(Mix.of(21, c.ticket(), c.adopt() ? 1 : 0), c.candidates());
      case Command.ToPolicies c -> 18;
      case Command.ScoreStored c -> Mix.of(19, c.keys().size(), Arrays.hashCode(c.scores()));
      case Command.Drained c -> 14;
    };
  }

  private static long answer(Command.Answer c) {
    long hash = Mix.of(1, c.session(), c.operation());
    hash = Mix.add(Mix.add(hash, c.revision()), c.record());
    hash = Mix.add(Mix.add(hash, c.state().code()), c.hits());
    hash = Mix.add(Mix.add(hash, c.detail()), c.lease().high());
    return Mix.add(Mix.add(hash, c.error().code()), c.message().hashCode());
  }

  private static long pages(long kind, PageColumns pages) {
    long hash = kind;
    for (int i = 0; i < pages.size(); i++) {
      hash = Mix.add(Mix.add(hash, pages.id(i)), pages.handle(i));
      hash = Mix.add(Mix.add(hash, pages.uses(i)), pages.mark(i));
    }
    return hash;
  }

  private static long copy(CopyPlan plan) {
    long hash =
        Mix.of(13, plan.id(), plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST ? 0 : 1);
    for (int i = 0; i < plan.pages(); i++) {
      hash = Mix.add(Mix.add(hash, plan.hostAddress(i)), plan.devicePage(i));
    }
    return Mix.add(hash, plan.stageSlot());
  }
}
