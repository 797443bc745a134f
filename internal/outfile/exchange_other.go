//go:build !linux

package outfile

import "errors"

// exchange is not there on this system.
func exchange(string, string) error { return errors.ErrUnsupported }
