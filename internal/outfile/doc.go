// Package outfile writes files and directories that are whole or absent.
//
// What is written has a hidden name beside its final one, .NAME.PID@HOST.partial, and gets the
// final name when it is complete. Whatever ends the writing removes it: an error, Abort, or
// Abandon when the process is interrupted. What a process left that was killed is removed, or
// put back, by the next one on the same machine that writes the same name.
package outfile
