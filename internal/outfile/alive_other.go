//go:build !unix

package outfile

// alive cannot be told on this system, so nothing is taken for dead.
func alive(int) bool { return true }
