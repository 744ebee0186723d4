package io.orbitkv.ssd.sim.run;

/** How the life before this one ended. */
enum Ending {
  /** There was none: the file was empty. */
  NEW,
  /** A clean stop. */
  CLEAN,
  /** The process died; the machine went on. */
  KILL,
  /** The power went. */
  POWER
}
