// Package plots draws figures. It also contains the tidy tables that figures are drawn from. It does not depend on
// the simulator: its input is rows, and its output is drawings.
//
// # From rows to a drawing
//
//	Point    of a series in a panel
//	  │      Panels, BySize, CDF, Scatter; HeatMaps of Cells
//	Figure   plain description: panels, axes, series, notes
//	  │      Save, Write, Inline
//	drawing  SVG, PDF, PNG; a script for matplotlib, a specification of Vega-Lite
//
// The result of each arrow depends only on its input. Panels are plain values: you can set titles and ends of axes,
// add series, reference lines or notes, and then draw the figure.
//
// # What a drawing promises
//
//   - Nothing is left out in silence. Values that have no place on an axis (a negative value on a logarithmic axis,
//     infinity) are errors that name the panel, the series and the point. Zero has a strip below a logarithmic y
//     axis. A chevron on the frame marks data beyond a fixed end, or an interval that leaves the frame. A missing
//     value (NaN) is a gap in the line. The small print counts missing values and values beyond an end. Points of
//     too few samples are faded. The legend explains faded points and chevrons.
//   - Published values have the colour of our values, with dashes and hollow marks, and "published"
//     in the legend.
//   - Series differ in colour and in marker. Bars of one lightness also differ in texture. The colours differ under
//     the common colour deficiencies, and the first three colours also differ in a grey print. Forms of a colour
//     differ in dashes, markers and hatches.
//   - Lines with intervals stand side by side. A curve beneath other curves is light and wider than these, so that
//     no curve hides another. No drawing is higher than a page.
//   - The legend stands above the data, never over it; no text is cut off or covers
//     another; notes and labels move to where they hide least.
//   - Logarithmic axes have ticks at powers of ten, or at 1, 2 and 5 where few of
//     them fit. Bytes, seconds and bits per second are printed with a prefix.
//   - Equal figures give equal bytes in all formats, SVG and PNG on any processor.
//
// # What gonum/plot does, and what is done here
//
// Each panel is a gonum plot: gonum draws its axes, ticks and error bars, sets the columns of the legend, gives the
// panels tiles with data areas of one size (Align), clips lines and polygons, and writes the three formats. This
// package implements the following, because gonum lacks it or does it differently:
//
//   - the choice of ticks and ends. gonum labels about three values of a linear axis and the powers of ten of a
//     logarithmic axis, whatever the room, and has no units;
//   - panels in rows of a given height, labels of the x axis that are turned or omitted when they do not fit, y
//     labels that neighbours share, and texts that wrap;
//   - markers and bars that show what is published, weak or missing, colour bars
//     with pointed ends, chevrons, notes that avoid the data;
//   - the opening tag and the fonts of an SVG, for text alternatives, dark pages and viewers without Liberation
//     Sans; the letters of a PNG, because gonum draws them with different pixels on different processors; PDFs,
//     because gonum embeds whole fonts in them and leaves out the characters outside Windows-1252.
//
// # Tables
//
// A CSV file has plain headings with units, as in mean_fct_s, and a schema next to it (rows.schema.json for
// rows.csv) with the note, and name, type and unit of each column, so that other tools read it as it is. Real
// numbers are written with the fewest digits that read back as the same number. A missing real number is an empty
// field in the file, and NaN in a Table. Text and integers are never missing. Reading is strict: a value of another
// kind, a row of another length and another heading are errors with file and line.
//
// Subpackage report puts figures and tables on one HTML page.
package plots
