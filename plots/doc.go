// Package plots draws figures and holds the tidy tables that they are drawn from.
// It knows nothing of simulation: rows in, drawings out.
//
// # From rows to a drawing
//
//	Table    typed rows, read and written as CSV
//	  │      SlowdownBySize, FCTCDF, QueueCDF, BarsByLoad, ByOverhead, TimeSeries,
//	  │      Scatter, HeatMap, DecodeByPathLength (a Mapping names the columns)
//	Figure   plain description: panels, axes, series, notes; JSON
//	  │      Save, Write, Inline
//	drawing  SVG, PDF, PNG
//
// Each arrow is a function of its input alone. A figure that a constructor made
// is a plain value: set its title, footnote or ends of axes, add series, reference
// lines or notes, then draw it. A figure written as JSON and read back gives the
// same drawing.
//
// # What a drawing promises
//
//   - Nothing is left out in silence. Values that have no place on an axis (zero on
//     a logarithmic one, infinity) are errors that name the panel, the series and
//     the point; data beyond a fixed end shows as an arrowhead on the frame; a
//     missing value (NaN) is a gap in its line; points that rest on too few samples
//     are faded, and the legend says so.
//   - Published values have the colour of ours, with dashes and hollow marks, and
//     "published" in the legend.
//   - Series differ in colour and in marker. The first six colours differ under the
//     common colour deficiencies and the first three in a grey print.
//   - The legend stands above the data, never over it; no text is cut off or covers
//     another; notes and labels move to where they hide least.
//   - Logarithmic axes have ticks at powers of ten, or at 1, 2 and 5 where few of
//     them fit. Bytes, seconds and bits per second are printed with a prefix.
//   - Equal figures give equal bytes in every format, on one version of Go. SVG and
//     PDF round coordinates to hundredths of a point.
//
// # Tables
//
// The first line of a CSV file has, for each column, its name, its kind (string,
// int or float) and its unit if it has one: "scheme:string,size:int:B,p95:float".
// Real numbers are written with the fewest digits that read back as the same
// number. A missing one is NaN; text and integers are never missing. Reading is
// strict: a value of another kind, a row of another length and a repeated name are
// errors with file and line.
//
// Subpackage report puts figures and tables on one HTML page.
package plots
