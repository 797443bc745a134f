// Package prefetch asks the processor to load memory into its cache before it is needed.
// It changes no result. Any address is allowed, even an invalid one.
package prefetch
