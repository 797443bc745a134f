// Package report writes one self-contained HTML page: an answer or a summary, the
// main drawing, sections with figures, tables, statements, values next to the
// published ones and commands, then footnotes, and the configuration at the end.
//
// The page has no scripts and loads nothing from elsewhere (a content security
// policy in its head says so): drawings are inline SVG, the style is inline. It
// follows the reader's light or dark setting, prints in black on white, and has a
// heading structure, captions and text alternatives for screen readers. It is
// well-formed XML as well as HTML. Equal pages are equal bytes; the page has no
// date unless the caller writes one into it.
package report
