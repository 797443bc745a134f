//go:build !unix

package store

// usage returns zeros because this system reports no usage.
func usage() Usage { return Usage{} }
