package mem

import "syscall"

// madvHugepage is MADV_HUGEPAGE of madvise(2).
const madvHugepage = 14

// advise asks the kernel for large pages between two addresses. It ignores errors because
// it is only advice.
func advise(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, madvHugepage)
}
