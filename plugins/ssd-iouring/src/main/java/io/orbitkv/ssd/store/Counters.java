package io.orbitkv.ssd.store;

/** What happened since the store was opened. See {@link StoreUsage}. */
final class Counters {
  long deviceWrittenBytes;
  long payloadWrittenBytes;
  long reinsertedBytes;
  long evictedPages;
  long lostPages;
  long corruptPages;
  long unreadablePages;
  long readErrors;
  long writeErrors;
  long duplicateWrites;
  long refusedFull;
  long refusedBudget;
  long refusedDegraded;
  long uncertainEvictions;
}
