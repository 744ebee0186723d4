package io.orbitkv.manager.live;

import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.policy.PolicyHost;

/**
 * A cache of the Manager with its policies.
 *
 * @param name number of the cell, from 1; empty when it is the only one
 * @param dispatcher of it alone
 * @param backing tier of it alone
 * @param host of its policies
 * @param experiments that run in it
 */
public record LiveCell(
    String name,
    Dispatcher dispatcher,
    BackingPort backing,
    PolicyHost host,
    Experiments experiments) {}
