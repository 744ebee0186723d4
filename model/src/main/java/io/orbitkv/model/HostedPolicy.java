package io.orbitkv.model;

import io.orbitkv.api.policy.Policy;

/**
 * A policy instance in the model. One instance can serve in several slots.
 *
 * @param name in reports
 * @param policy made with {@code context}
 * @param context of this instance alone
 */
public record HostedPolicy(String name, Policy policy, ModelContext context) {}
