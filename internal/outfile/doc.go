// Package outfile writes files and directories that are complete or absent.
//
// While a file is written, it has a hidden name in the same directory, .NAME.PID@HOST.partial. It
// gets the final name when it is complete. An error, Abort, or Abandon after an interrupt removes
// it. If the process is killed, the next process on the same machine that writes the same name
// removes or restores the remains.
package outfile
