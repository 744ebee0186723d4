package io.orbitkv.workload.bench;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.report.TextTable;
import java.util.Locale;

/**
 * Round trips as the client sees them, in microseconds.
 *
 * @param pages pages of the query
 * @param rounds measured of each kind
 * @param requestBytes size of the query's frame, and of the echo's
 * @param replyBytes size of the answer's record on the status board, and of the echo's reply
 * @param board answers on the status board
 * @param socket answers over the socket
 * @param echo the floor: a frame of equal size there, one of equal size back
 * @param poll one look at the status board
 * @param boardInUse whether the status board could be opened; without it {@code board} and {@code
 *     poll} are empty
 */
public record WireBenchResult(
    int pages,
    int rounds,
    int requestBytes,
    int replyBytes,
    Percentiles board,
    Percentiles socket,
    Percentiles echo,
    Percentiles poll,
    boolean boardInUse) {
  /** The answer's cost in echoes: median over median; 0 without a board. */
  public double ratio() {
    return echo.p50() == 0 ? 0 : board.p50() / echo.p50();
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report ->
        report
            .field("pages", pages)
            .field("rounds", rounds)
            .field("request_bytes", requestBytes)
            .field("reply_bytes", replyBytes)
            .field("board", boardInUse)
            .field("p50_us", board.p50(), 3)
            .field("p99_us", board.p99(), 3)
            .field("echo_p50_us", echo.p50(), 3)
            .field("echo_p99_us", echo.p99(), 3)
            .field("poll_p50_us", poll.p50(), 4)
            .field("p50_socket_us", socket.p50(), 3)
            .field("p99_socket_us", socket.p99(), 3)
            .field("ratio", ratio(), 3));
  }

  /** A table for people. */
  public String table() {
    TextTable table = new TextTable();
    table.row(
        "query",
        String.format(
            Locale.ROOT, "%d pages in memory, a frame of %,d bytes", pages, requestBytes));
    table.row("rounds", String.format(Locale.ROOT, "%,d of each kind, alternating", rounds));
    table.row("echo of equal size", micros(echo));
    table.row("answer on the status board", boardInUse ? micros(board) : "not available here");
    table.row("answer over the socket", micros(socket));
    table.row(
        "look at the status board",
        boardInUse ? String.format(Locale.ROOT, "p50 %.3f µs", poll.p50()) : "-");
    table.row("answer in echoes", String.format(Locale.ROOT, "%.2f", ratio()));
    return table.text();
  }

  private static String micros(Percentiles percentiles) {
    return String.format(
        Locale.ROOT, "p50 %.1f µs, p99 %.1f µs", percentiles.p50(), percentiles.p99());
  }
}
