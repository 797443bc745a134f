//go:build !linux

package outfile

import "errors"

// exchange is not supported on this system.
func exchange(string, string) error { return errors.ErrUnsupported }
