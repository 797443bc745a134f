// Package canvas writes drawings of package plots as SVG, PDF and PNG.
//
// A drawing is straight lines, polygons and lines of text; each format is a
// Canvas with these three. PNG is drawn by gonum's vgimg. SVG and PDF are written
// here, because gonum's canvases do not suit results that are compared byte by
// byte: its PDF holds the time of day, lists fonts in the order of a map and knows
// only the characters of Windows-1252; its SVG names a font without alternatives
// and has no title for those who cannot see it.
//
// All text is in Liberation Sans, which has the widths of Arial and Helvetica:
// PDF embeds the part of it that is used, SVG names all three, so that a viewer
// without it keeps the layout.
package canvas
