/**
 * The plugin host: finds plugins, refuses by name those that cannot be used, and gives each other
 * one a module layer and a closable scope of its own.
 */
package io.orbitkv.manager.plugin;
