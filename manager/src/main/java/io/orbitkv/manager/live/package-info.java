/**
 * Experiments on live traffic: which variant serves when and for whom, what is measured of each in
 * blocks of time, and what of it survives a restart. Nothing here judges: that is for whoever reads
 * the blocks.
 */
package io.orbitkv.manager.live;
