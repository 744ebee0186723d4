package io.orbitkv.manager.dispatch;

/**
 * What one copier has to do at one moment.
 *
 * @param memoryKind that it copies to and from
 * @param plans handed over or waiting, and not reported
 * @param bytes of their pages
 * @param waitingPlans of them, those that it did not take yet
 */
public record CopierFigures(String memoryKind, int plans, long bytes, int waitingPlans) {}
