// Package prefetch asks the processor to bring memory into its cache before it is needed. It changes no
// result, and an address need not be valid.
package prefetch
