// Package figure is the scaffold of all figures.
//
// A figure is a spec, Of: what it measures at three scales, the rows that come out, what the paper claims about
// them, the numbers that it prints, and how the rows are shown. Its comment explains what the paper reports,
// what we get and why they differ.
//
//	Measure → rows → Check, Compare, Tables, Draw
//
// Only Measure simulates. Everything after it is made from the rows and the manifest, which are
// stored as rows.csv and manifest.json next to the drawings, so that Load can make all of it again
// without simulating.
//
// Columns, units and numbers are declared once, by the tags of the rows: Show makes tables of their fields, Curve
// and Ranges series.
package figure
