package hugepage

import "syscall"

// madvHugepage is MADV_HUGEPAGE of madvise(2).
const madvHugepage = 14

// advise asks for large pages between two addresses. It is advice: an error has no consequence.
func advise(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, madvHugepage)
}
