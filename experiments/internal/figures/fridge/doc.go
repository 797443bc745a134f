// Package fridge contains the figures of the fridges paper. Package measure/fridges passes traces through the
// structures. The rows of each figure are in the folder with its name.
package fridge

import "embed"

//go:embed headlines.csv shared.md */figure.md */published.csv */claims.csv */known.csv
var files embed.FS
