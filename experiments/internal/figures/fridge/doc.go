// Package fridge has the figures of the fridges paper. Package measure/fridges runs traces through the
// structures; the rows of a figure lie in the folder of its name.
package fridge

import "embed"

//go:embed headlines.csv shared.md */figure.md */published.csv */claims.csv */known.csv
var files embed.FS
