/**
 * Settings: a tree of configuration values that know their place, and its binding to records whose
 * components carry {@link io.orbitkv.api.settings.Setting}. Parsing, checks, documentation and
 * schema all come from those records.
 */
package io.orbitkv.manager.settings;
