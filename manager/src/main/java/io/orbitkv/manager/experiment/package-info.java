/**
 * What a configuration says of an experiment: its variants, which requests belong to which, what
 * decides. Nothing here runs one.
 */
package io.orbitkv.manager.experiment;
