package elastic

// place returns the place of a flow in its bucket, the guard's if it is not there. A place that no
// flow has yet may match too; those in use come before it. It compares all flows at once.
//
//go:noescape
func place(b *bucket, flow uint32) int
