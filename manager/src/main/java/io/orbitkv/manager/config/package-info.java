/**
 * The Manager's configuration: defaults, then the file, then flags; every value knows its origin
 * and every mistake its place.
 */
package io.orbitkv.manager.config;
