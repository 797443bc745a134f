// Package plots draws figures from rows and series. It knows nothing of
// simulation: numbers in, drawings out.
package plots
