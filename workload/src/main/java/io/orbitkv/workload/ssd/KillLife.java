package io.orbitkv.workload.ssd;

/**
 * What a Manager knew after a kill, and what it did until the next one.
 *
 * @param startSeconds from the start of its process until it took connections
 * @param recoveredPages that it says it knows after the start
 * @param foundPages of them that queries found
 * @param unreadablePages that it could not bring although it knew them: of writes that the kill cut
 *     off behind their header
 * @param restoredPages that were restored and compared, under load too
 * @param wrongBytes in them
 * @param strangePages that were found or recovered although nobody published them
 * @param publishedPages acknowledged in this life
 * @param storedBeforePages that the Manager before it said were written, at the last look before
 *     its kill
 * @param slackPages that may have been overwritten between that look and the kill; 0 when the store
 *     had room
 * @param killMillis from the first load to the kill; 0 when it was killed while it started
 */
public record KillLife(
    double startSeconds,
    long recoveredPages,
    long foundPages,
    long unreadablePages,
    long restoredPages,
    long wrongBytes,
    long strangePages,
    long publishedPages,
    long storedBeforePages,
    long slackPages,
    long killMillis) {
  /** Pages that were written and that the kill lost. */
  public long lostPages() {
    return Math.max(0, storedBeforePages - slackPages - foundPages);
  }
}
