// Package canvas has the two vector canvases of package plots: SVG and PDF.
//
// They implement gonum's vg.Canvas and are here because gonum's own do not suit
// results that are compared byte by byte: its PDF canvas writes the time of day,
// orders fonts by a map and knows only the characters of Windows-1252; its SVG
// canvas names a font without alternatives and flips the page with a transform.
// Both canvases here write equal bytes for equal drawings, embed or name their
// fonts so that the layout holds, carry a title and a description, and accept
// any Unicode text.
package canvas
