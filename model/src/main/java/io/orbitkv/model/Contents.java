package io.orbitkv.model;

import io.orbitkv.api.policy.TierFacts;

/** What is in the tiers when a request comes, and what becomes of it. One thread. */
interface Contents {
  /**
   * What a request would find now beyond its first pages; changes nothing.
   *
   * @param devicePages that the engine has
   */
  ModelRun.Found find(int r, int devicePages);

  /**
   * Serves one request.
   *
   * @param devicePages of the prompt that the engine has; nobody asks the Manager for them
   * @param restorePages use at most so many of the pages found beyond those
   * @param writePages room for so many pages that wait to be written
   */
  RequestOutcome serve(int r, long atNanos, int devicePages, int restorePages, int writePages);

  /** The backing tier now. */
  TierFacts ssdFacts();
}
