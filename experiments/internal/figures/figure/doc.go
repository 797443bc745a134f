// Package figure is the scaffold of all figures.
//
// The spec of a figure, Of, describes the measurements at three scales, the resulting rows, the paper's claims about
// these rows, the numbers that the paper prints, and the tables and drawings. The comment of a spec explains what the
// paper reports, what we measure, and why the two differ.
//
//	Measure → rows → Check, Compare, Tables, Draw
//
// Only Measure simulates. All later steps use only the rows and the manifest. They are stored as rows.csv and
// manifest.json next to the drawings, so that Load can repeat the later steps without simulating.
//
// The tags of the rows declare columns, units and numbers once. Show makes tables from the fields of the rows, and
// Curve and Ranges make series from them.
package figure
