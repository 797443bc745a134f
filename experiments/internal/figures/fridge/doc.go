// Package fridge contains the figures of the fridges paper. Package measure/fridges passes traces through the fridges
// and arrays. The rows of a figure are in the folder that has the figure's name.
package fridge

import "embed"

//go:embed headlines.csv shared.md */figure.md */published.csv */claims.csv */known.csv
var files embed.FS
