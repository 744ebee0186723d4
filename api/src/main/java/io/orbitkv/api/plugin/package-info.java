/** What the Manager gives to a plugin. */
package io.orbitkv.api.plugin;
