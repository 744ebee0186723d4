/** What the driver takes by value; apart, because JNA looks into it. */
package io.orbitkv.cuda.handle;
