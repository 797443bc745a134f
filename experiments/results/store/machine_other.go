//go:build !unix

package store

// usage returns zeros, because this operating system does not report the usage.
func usage() Usage { return Usage{} }
