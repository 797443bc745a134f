// Package view writes one self-contained HTML page on which a person looks inside a run: the network by layers, with a
// slider for the time; links coloured by utilisation, ports by queue, pauses, drops and broken links marked; the series
// of each port; path, rate and window of each flow.
//
// The page asks for nothing from elsewhere: its script, its style and its data are in it, and a content security policy
// says so. The data are levels of 8 bits, compressed; exact maxima and counts stand beside them. Equal pages are equal
// bytes.
package view
