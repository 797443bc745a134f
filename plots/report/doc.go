// Package report writes one self-contained HTML page. The page begins with an answer or a summary and the main
// drawing. Sections follow, with figures, tables, statements, our values next to published values, and commands.
// Footnotes and the configuration come at the end.
//
// The page has no scripts and loads nothing from elsewhere, because drawings are inline SVG and the style is inline.
// A content security policy in the head of the page states this. The page follows the reader's light or dark
// setting, prints in black on white, and has a heading structure, captions and text alternatives for screen readers.
// It is well-formed XML as well as HTML. Equal pages have equal bytes. The page has no date unless the caller writes
// a date into it.
package report
