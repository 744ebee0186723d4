/** What an operator can ask of a running Manager. */
package io.orbitkv.manager.admin;
