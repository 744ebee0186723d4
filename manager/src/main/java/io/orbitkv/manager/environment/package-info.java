/** What a Manager is started with beside its configuration, and how a start fails. */
package io.orbitkv.manager.environment;
