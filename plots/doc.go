// Package plots draws figures and holds the tidy tables that they are drawn from.
// It knows nothing of simulation: rows in, drawings out.
//
// # From rows to a drawing
//
//	Point    of a series in a panel
//	  │      Panels, BySize, CDF, Scatter; HeatMaps of Cells
//	Figure   plain description: panels, axes, series, notes
//	  │      Save, Write, Inline
//	drawing  SVG, PDF, PNG; a script for matplotlib, a specification of Vega-Lite
//
// Each arrow is a function of its input alone. Panels are plain values: set titles
// and ends of axes, add series, reference lines or notes, then draw the figure.
//
// # What a drawing promises
//
//   - Nothing is left out in silence. Values that have no place on an axis (a negative
//     one on a logarithmic axis, infinity) are errors that name the panel, the series and
//     the point. Zero has a strip below a logarithmic y axis. Data beyond a fixed end
//     shows as a chevron on the frame, and so does an interval that leaves it; a missing value (NaN) is a gap in its
//     line; the small print counts both. Points of too few samples are faded. The legend names
//     faded points and chevrons.
//   - Published values have the colour of our values, with dashes and hollow marks, and "published"
//     in the legend.
//   - Series differ in colour and in marker, bars of one lightness also in texture. The colours differ under the common
//     colour deficiencies and the first three in a grey print. Forms of a colour differ in dashes, markers and hatches.
//   - Lines with intervals stand side by side. A curve beneath others is wider than they are, and light, so that none
//     hides another. No drawing is higher than a page.
//   - The legend stands above the data, never over it; no text is cut off or covers
//     another; notes and labels move to where they hide least.
//   - Logarithmic axes have ticks at powers of ten, or at 1, 2 and 5 where few of
//     them fit. Bytes, seconds and bits per second are printed with a prefix.
//   - Equal figures give equal bytes in all formats, SVG and PNG on any processor.
//
// # What gonum/plot does, and what is done here
//
// Each panel is a gonum plot: gonum draws its axes, ticks and error bars, sets the
// columns of the legend, gives the panels tiles with data areas of one size (Align),
// clips lines and polygons, and writes the three formats. What stands here, because
// gonum has it not or otherwise:
//
//   - the choice of ticks and ends: gonum labels about three values of a linear axis
//     and the powers of ten of a logarithmic one, whatever the room, and knows no units;
//   - panels in rows of a given height, labels of the x axis that turn and thin out
//     when they do not fit, y labels shared by neighbours, texts that wrap;
//   - markers and bars that show what is published, weak or missing, colour bars
//     with pointed ends, chevrons, notes that avoid the data;
//   - the opening tag and the fonts of an SVG, for text alternatives, dark pages and
//     viewers without Liberation Sans; letters of a PNG, whose pixels gonum takes from
//     the font otherwise on each processor; PDFs, for which gonum embeds whole fonts
//     without the characters outside Windows-1252.
//
// # Tables
//
// A CSV file has plain headings with units, as in mean_fct_s, and a schema next to it
// (rows.schema.json for rows.csv) with the note, and name, type and unit of each column, so that other
// tools read it as it is. Real numbers are written with the fewest digits that read
// back as the same number. A missing one is an empty field, and NaN in a Table; text
// and integers are never missing. Reading is strict: a value of another kind, a row of
// another length and another heading are errors with file and line.
//
// Subpackage report puts figures and tables on one HTML page.
package plots
