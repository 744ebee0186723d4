/** The entry of a plugin and what the Manager gives it. */
package io.orbitkv.api.plugin;
