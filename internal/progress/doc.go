// Package progress shows people how far long work is and how much time it still
// needs: bars on a terminal, a plain line now and then elsewhere, or nothing.
//
// A Display has tasks, some of which may run at the same time. Each reports the
// share of its work that is done; the time left follows from the time that the
// share has taken so far. All methods may be called from any goroutine.
//
// It is for the eyes only: nothing that a program computes may depend on it.
package progress
