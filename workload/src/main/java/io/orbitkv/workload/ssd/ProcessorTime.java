package io.orbitkv.workload.ssd;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Time that the processors spent on this process: what it needs when it has none to itself. */
final class ProcessorTime {
  private static final double NANOS_A_SECOND = 1e9;

  private ProcessorTime() {}

  /** Since the process began; 0 where the system does not tell. */
  static double seconds() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return Math.max(0, system.getProcessCpuTime()) / NANOS_A_SECOND;
  }
}
