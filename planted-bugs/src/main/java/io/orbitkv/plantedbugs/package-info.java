/** From patches to archives with the changed classes. */
package io.orbitkv.plantedbugs;
