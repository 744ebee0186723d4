package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.OperationLimits;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellShareTest {
  private static final List<CellShare> SHARES =
      CellShare.cells(new ArmSplit(Assignment.By.INSTANCE, 33, 7));

  @Test
  void shares_ofAnyAmount_addUpToNoMoreAndLoseLessThanTwo() {
    for (long amount : new long[] {1, 99, 101, 4097, 1L << 40, Long.MAX_VALUE}) {
      long sum = SHARES.stream().mapToLong(share -> share.of(amount)).sum();
      assertThat(sum).as("%s", amount).isBetween(amount - 1, amount);
    }
  }

  @Test
  void limits_ofCells_areSharesAndAnInstanceHasNoMoreThanItsCell() {
    BudgetLimits budget = new BudgetLimits(1000, 500);
    assertThat(SHARES.get(0).of(budget)).isEqualTo(new BudgetLimits(330, 330));
    assertThat(SHARES.get(1).of(budget)).isEqualTo(new BudgetLimits(670, 500));
    assertThat(SHARES.get(0).of(new WriteSettings(1000, 100, 10)))
        .isEqualTo(new WriteSettings(330, 33, 3));
    assertThat(SHARES.get(0).of(WriteSettings.NONE)).isEqualTo(WriteSettings.NONE);
    OperationLimits limits = SHARES.get(1).of(OperationLimits.DEFAULT);
    assertThat(limits.managerQueries()).isEqualTo(686);
    assertThat(limits.sessionQueries()).isEqualTo(OperationLimits.DEFAULT.sessionQueries());
  }

  @Test
  void managerThatIsNotDivided_keepsEverything() {
    CellShare all = CellShare.cells(null).getFirst();
    assertThat(all.name()).isEmpty();
    assertThat(all.of(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(all.of(OperationLimits.DEFAULT)).isSameAs(OperationLimits.DEFAULT);
  }
}
