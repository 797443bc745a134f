//go:build !unix

package store

// usage is not known on this system.
func usage() Usage { return Usage{} }
