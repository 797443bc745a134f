// Package progress shows users the progress of long work and the time left: bars on a
// terminal, lines at intervals elsewhere, or nothing.
//
// A Display has tasks, which may run concurrently. Each reports the share of its work that is done. The estimate of the
// time left assumes that the remaining work continues at the average speed so far. All methods may be called from any
// goroutine.
//
// No result of a program may depend on this package.
package progress
