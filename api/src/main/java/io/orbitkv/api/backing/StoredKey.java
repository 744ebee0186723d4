package io.orbitkv.api.backing;

import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;

/**
 * The full identity of a stored page.
 *
 * @param namespace namespace with the geometry of the slots mixed in
 * @param group the group
 * @param key the page
 */
public record StoredKey(Namespace namespace, int group, PageKey key) {}
