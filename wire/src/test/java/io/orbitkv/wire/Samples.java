package io.orbitkv.wire;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One message of each kind, and of each shape that a kind has. */
final class Samples {
  static final long EPOCH = 0x1122334455667788L;

  private static final LeaseId LEASE = new LeaseId(0x0123456789ABCDEFL, -2);

  private Samples() {}

  static Map<String, ClientMessage> ofClients() {
    Map<String, ClientMessage> samples = new LinkedHashMap<>();
    samples.put(
        "hello", new ClientMessage.Hello(1, "engine 1.0 \u00e9\u4e2d\ud83d\ude00", 1, 1, 4711));
    samples.put(
        "register-shared-memory",
        new ClientMessage.Register(
            2,
            "engine-0",
            namespace(),
            layout(),
            new DeviceMemoryDescriptor.SharedMemory(4711, 7, 1 << 20)));
    samples.put(
        "register-cuda-ipc",
        new ClientMessage.Register(
            3,
            "engine-0",
            namespace(),
            hybridLayout(),
            new DeviceMemoryDescriptor.CudaIpc(
                "GPU-00000000-1111-2222-3333-444444444444",
                List.of(
                    new DeviceMemoryDescriptor.CudaIpc.Allocation(handle(5), 512, 1L << 33),
                    new DeviceMemoryDescriptor.CudaIpc.Allocation(handle(3), 0, 4096)),
                List.of(handle(7), handle(11)))));
    samples.put("attach", new ClientMessage.Attach(4, "engine-0"));
    samples.put("unregister", new ClientMessage.Unregister(5, 3));
    samples.put(
        "submit-demand",
        new ClientMessage.Submit(
            6,
            1,
            17,
            3,
            QueryKind.DEMAND,
            "request \u00e9",
            new int[] {0},
            new int[] {2},
            new long[] {1, 2, -3, 4},
            null));
    samples.put(
        "submit-selected",
        new ClientMessage.Submit(
            7,
            2,
            -1,
            3,
            QueryKind.SELECTED,
            "r",
            new int[] {0, 1},
            new int[] {2, 1},
            new long[] {1, 2, 3, 4, 5, 6},
            demand()));
    samples.put(
        "submit-empty",
        new ClientMessage.Submit(
            8, 1, 0, 3, QueryKind.PRODUCER_WAIT, "", new int[0], new int[0], new long[0], null));
    samples.put("taken", new ClientMessage.Taken(6, 1));
    samples.put("cancel", new ClientMessage.Cancel(6, 1));
    samples.put("ask", new ClientMessage.Ask(6, 1));
    samples.put("claim", new ClientMessage.Claim(9, 1, 4, true));
    samples.put("release", new ClientMessage.Release(10, LEASE));
    samples.put("restore", new ClientMessage.Restore(11, 5, 3, LEASE, 99, new int[] {7, -1, 9}));
    samples.put(
        "restore-staged",
        new ClientMessage.Restore(12, 5, 3, LEASE, 99, new int[] {7, -1, 9}, true));
    samples.put("stage-waited", new ClientMessage.StageWaited(12));
    samples.put(
        "publish",
        new ClientMessage.Publish(
            12, 6, 3, 0, 98, PageKey.NONE, new long[] {1, 2, 3, 4}, new int[] {10, 11}));
    samples.put("commit", new ClientMessage.Commit(12, true));
    samples.put("commit-failed", new ClientMessage.Commit(12, false));
    samples.put(
        "queue",
        new ClientMessage.Queue(
            13,
            3,
            List.of(
                new ClientMessage.Queue.Entry(
                    "a", ClientMessage.Queue.State.ACCEPTED, new long[] {1, 2, 3, 4}),
                new ClientMessage.Queue.Entry(
                    "b", ClientMessage.Queue.State.EXECUTING, new long[0]),
                new ClientMessage.Queue.Entry("c", ClientMessage.Queue.State.GONE, new long[0]))));
    samples.put(
        "submit-prepare",
        new ClientMessage.Submit(
            19,
            1,
            3,
            3,
            QueryKind.PREPARE,
            "p",
            new int[] {0},
            new int[] {1},
            new long[] {1, 2},
            null));
    samples.put(
        "submit-prepare-with-demand",
        new ClientMessage.Submit(
            20,
            1,
            -1,
            3,
            QueryKind.PREPARE,
            "p",
            new int[] {0, 1},
            new int[] {2, 1},
            new long[] {1, 2, 3, 4, 5, 6},
            demand()));
    samples.put(
        "submit-discover",
        new ClientMessage.Submit(
            21,
            3,
            -1,
            3,
            QueryKind.DISCOVER,
            "d",
            new int[] {0, 2},
            new int[] {2, 2},
            new long[] {1, 2, 3, 4, 5, 6, 7, 8},
            null));
    samples.put(
        "submit-warm",
        new ClientMessage.Submit(
            22,
            1,
            5,
            3,
            QueryKind.WARM,
            "w",
            new int[] {0},
            new int[] {1},
            new long[] {1, 2},
            null));
    samples.put("claim-uncounted", new ClientMessage.Claim(20, 1, -1, false));
    samples.put(
        "queue-of-groups",
        new ClientMessage.Queue(
            23,
            3,
            List.of(
                new ClientMessage.Queue.Entry(
                    "a",
                    ClientMessage.Queue.State.ACCEPTED,
                    new int[] {0, 1},
                    new int[] {2, 1},
                    new long[] {1, 2, 3, 4, 5, 6},
                    demand()),
                new ClientMessage.Queue.Entry(
                    "b",
                    ClientMessage.Queue.State.ACCEPTED,
                    new int[] {0, 3},
                    new int[] {1, 0},
                    new long[] {7, 8},
                    null),
                new ClientMessage.Queue.Entry(
                    "c", ClientMessage.Queue.State.ACCEPTED, new long[] {9, 10}))));
    samples.put("engine-stats", new ClientMessage.EngineStats(14, 3, 21_000));
    samples.put("sync", new ClientMessage.Sync(15));
    samples.put("sync-durable", new ClientMessage.Sync(21, true));
    samples.put("evict", new ClientMessage.Evict(16));
    samples.put("evict-everywhere", new ClientMessage.Evict(22, true));
    samples.put("status", new ClientMessage.Status(17));
    samples.put("metrics-text", new ClientMessage.Metrics(19, false));
    samples.put("metrics-json", new ClientMessage.Metrics(20, true));
    samples.put("policy-list", new ClientMessage.Policy(23, "{\"do\":\"list\"}"));
    samples.put(
        "policy-swap",
        new ClientMessage.Policy(
            24,
            "{\"do\":\"swap\",\"slot\":\"admission.ssd\",\"policy\":\"comeback\","
                + "\"settings\":{\"trial\":\"0.5\"}}"));
    samples.put("echo", new ClientMessage.Echo(18, 64, new byte[] {1, 2, 3}));
    return samples;
  }

  static Map<String, ServerMessage> ofManager() {
    Map<String, ServerMessage> samples = new LinkedHashMap<>();
    samples.put(
        "welcome",
        new ServerMessage.Welcome(
            1,
            1,
            1,
            EPOCH,
            12,
            8 << 20,
            1 << 16,
            "0.1.0",
            new ServerMessage.BoardLocation(4712, 33, 1024)));
    samples.put(
        "welcome-without-board",
        new ServerMessage.Welcome(1, 1, 0, EPOCH, 13, 8 << 20, 1 << 16, "0.1.0", null));
    samples.put("registered", new ServerMessage.Registered(2, 3, 5, true));
    samples.put(
        "registered-staged",
        new ServerMessage.Registered(
            2, 3, 5, true, List.of(List.of("01".repeat(64), "02".repeat(64)))));
    samples.put("attached", new ServerMessage.Attached(4, 3, 5, 2, 16, new long[] {65_536, 4096}));
    samples.put(
        "answer-ready",
        new ServerMessage.Answer(6, 1, AnswerState.READY, 2, 0, LEASE, ErrorCode.NONE, ""));
    samples.put(
        "answer-refused",
        new ServerMessage.Answer(
            7,
            2,
            AnswerState.REFUSED,
            0,
            0,
            LeaseId.NONE,
            ErrorCode.UNSUPPORTED,
            "not here \u00e9"));
    samples.put(
        "answer-prepared",
        new ServerMessage.Answer(
            19, 1, AnswerState.PREPARED, 0, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    samples.put(
        "answer-warmed",
        new ServerMessage.Answer(
            22, 1, AnswerState.WARMED, 1, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    samples.put(
        "answer-claimed-preparation",
        new ServerMessage.Answer(6, 1, AnswerState.READY, 2, 1, LEASE, ErrorCode.NONE, ""));
    samples.put(
        "candidates",
        new ServerMessage.Candidates(
            21, 3, new int[] {0, 2}, new int[] {2, 1}, new int[] {0, 1, 1}));
    samples.put(
        "candidates-none",
        new ServerMessage.Candidates(21, 3, new int[] {0}, new int[] {0}, new int[0]));
    samples.put("done", new ServerMessage.Done(16, 123_456_789_012L));
    samples.put("refused", new ServerMessage.Refused(10, ErrorCode.UNKNOWN, "no such lease"));
    samples.put(
        "refused-and-closed",
        new ServerMessage.Refused(0, ErrorCode.INVALID, "frame header: \u2026"));
    samples.put(
        "status-report",
        new ServerMessage.StatusReport(17, "{\"version\":\"0.1.0\",\"leases\":0}"));
    samples.put(
        "metrics-report",
        new ServerMessage.MetricsReport(
            19, "# TYPE orbitkv_queries_total counter\norbitkv_queries_total 7\n"));
    samples.put("metrics-report-empty", new ServerMessage.MetricsReport(20, ""));
    samples.put("policy-report", new ServerMessage.PolicyReport(23, "{\"epoch\":1,\"slots\":[]}"));
    samples.put("echo-reply", new ServerMessage.Echo(18, new byte[] {4, 5, 6, 7}));
    return samples;
  }

  static Namespace namespace() {
    return new Namespace("0123456789abcdef".repeat(4));
  }

  static RecoveryDemand demand() {
    return new RecoveryDemand(
        16, 0, 32, List.of(new GroupRange(0, 0, 32), new GroupRange(1, 16, 32)));
  }

  static WorkerLayout layout() {
    return new WorkerLayout(
        0,
        1,
        16,
        -1,
        List.of(new GroupSpec(0, new GroupRule.Prefix())),
        List.of(
            new LayerLayout("layer.0", 0, 0, 8, 4096, 1, 0, 8192),
            new LayerLayout("layer.1", 0, 65_536, 8, 2048, 2, 2048, 4096)));
  }

  static WorkerLayout hybridLayout() {
    return new WorkerLayout(
        1,
        2,
        32,
        0,
        List.of(
            new GroupSpec(0, new GroupRule.Prefix()),
            new GroupSpec(1, new GroupRule.Window(128)),
            new GroupSpec(2, new GroupRule.Checkpoint())),
        List.of(
            new LayerLayout("a", 0, 0, 4, 64, 1, 0, 64),
            new LayerLayout("b", 1, 4096, 4, 64, 2, 4096, 64),
            new LayerLayout("c", 2, 1L << 32, 4, 64, 1, 0, 64)));
  }

  private static String handle(int factor) {
    byte[] handle = new byte[DeviceMemoryDescriptor.CudaIpc.HANDLE_BYTES];
    for (int i = 0; i < handle.length; i++) {
      handle[i] = (byte) (i * factor);
    }
    return HexFormat.of().formatHex(handle);
  }
}
