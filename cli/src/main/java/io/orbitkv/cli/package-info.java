/**
 * The commands. A command class holds options and nothing else of weight, so that a command that is
 * not run costs nothing: what it does is in a class of its own, loaded when it runs.
 */
package io.orbitkv.cli;
