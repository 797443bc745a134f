package hugepage

import "syscall"

// madvHugepage is MADV_HUGEPAGE of madvise(2).
const madvHugepage = 14

// advise asks for large pages behind b. It is advice: an error has no consequence.
func advise(b []byte) { _ = syscall.Madvise(b, madvHugepage) }
