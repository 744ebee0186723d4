/** How plugins declare settings. */
package io.orbitkv.api.settings;
