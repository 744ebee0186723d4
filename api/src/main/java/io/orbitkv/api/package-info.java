/** The entry of a plugin. Everything that it can offer stands in the packages below. */
package io.orbitkv.api;
