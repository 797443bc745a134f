// Package report writes one self-contained HTML page: a verdict, the
// configuration, sections with figures, tables and values beside the published
// ones, and the commands that reproduce it all.
//
// The page has no scripts and asks for nothing from elsewhere (a content security
// policy in its head says so): drawings are inline SVG, the style is inline. It
// follows the reader's light or dark setting, prints in black on white, and has a
// heading structure, captions and text alternatives for screen readers. It is
// well-formed XML as well as HTML. Equal pages are equal bytes; the page has no
// date unless the caller writes one into it.
package report
