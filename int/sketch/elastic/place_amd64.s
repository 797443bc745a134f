#include "textflag.h"

// func place(b *bucket, flow uint32) int
//
// Two comparisons of four words each, narrowed to a bit a word. The guard's place is always set, and
// the first one that is set counts.
TEXT ·place(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), AX
	MOVL flow+8(FP), X0
	PSHUFD $0, X0, X0
	MOVOU (AX), X1
	MOVOU 16(AX), X2
	PCMPEQL X0, X1
	PCMPEQL X0, X2
	PACKSSLW X2, X1
	PACKSSWB X1, X1
	PMOVMSKB X1, CX
	ORL $0x80, CX
	BSFL CX, CX
	MOVQ CX, ret+16(FP)
	RET
