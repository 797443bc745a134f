//go:build !unix

package outfile

// alive returns true because this system offers no check, so no leftover files are
// removed.
func alive(int) bool { return true }
