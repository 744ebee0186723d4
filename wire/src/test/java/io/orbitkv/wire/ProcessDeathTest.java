package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProcessDeathTest {
  private static final long LOOK_NANOS = 1_000_000;

  @Test
  void proven_processRuns_isFalse() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    try {
      assertThat(ProcessDeath.proven(process.toHandle())).isFalse();
      assertThat(ProcessDeath.proven(ProcessHandle.current())).isFalse();
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(ProcessDeath.proven(process.toHandle())).isTrue();
  }

  @Test
  void proven_nobodyFetchesTheEnd_isTrue() throws Exception {
    // The shell starts a child and becomes a program that never asks how the child ended.
    Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      assertThat(ProcessDeath.proven(child)).isFalse();
      child.destroyForcibly();
      while (!ProcessDeath.proven(child)) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      assertThat(child.isAlive()).as("its number is taken").isTrue();
    } finally {
      parent.destroyForcibly().waitFor();
    }
  }
}
