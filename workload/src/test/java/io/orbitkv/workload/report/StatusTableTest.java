package io.orbitkv.workload.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusTableTest {
  @Test
  void cells_haveALineEach_withTheirPoliciesBelow() {
    String table =
        StatusTable.of(
            """
            {"version": "1", "policies": [{"slot": "warming", "policy": "x", "state": "running"}],
             "cells": [
              {"cell": "1", "variant": "B", "instances": 3, "reserved_bytes": 0,
               "budget_bytes": 1048576,
               "pool": {"allocated_bytes": 1048576, "capacity_bytes": 2097152},
               "counters": {"query_pages": 4, "query_hit_pages": 1},
               "policies": [{"slot": "admission.ssd", "policy": "some", "state": "running"}]},
              {"cell": "2", "variant": "none", "instances": 0, "counters": {}, "policies": []}]}
            """);

    assertThat(table.lines().map(line -> line.strip().replaceAll(" +", " ")))
        .anyMatch(line ->
            line.startsWith("cell 1 variant B, 1.00 MiB of 2.00 MiB in use, 25")
                && line.contains("of 4 pages found")
                && line.endsWith("3 instances"))
        .anyMatch(line -> line.startsWith("cell 1 admission.ssd some, running"))
        .anyMatch(line -> line.startsWith("cell 2") && line.contains("none found yet"))
        .noneMatch(line -> line.startsWith("warming"));
  }
}
