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

// func hits(heavy *bucket, buckets, mixed uint64, keys []uint64) int
//
// The hash is find's, the comparison place's without the guard. A flow that has no place, or whose counter is full, is left to Insert.
TEXT ·hits(SB), NOSPLIT, $0-56
	MOVQ heavy+0(FP), DI
	MOVQ buckets+8(FP), R8
	MOVQ mixed+16(FP), R9
	MOVQ keys_base+24(FP), SI
	MOVQ keys_len+32(FP), R10
	MOVQ $0xbf58476d1ce4e5b9, R11
	MOVQ $0x94d049bb133111eb, R12
	XORQ DX, DX
	JMP  check

next:
	MOVQ (SI)(DX*8), AX
	XORQ R9, AX
	MOVQ AX, BX
	SHRQ $30, BX
	XORQ BX, AX
	IMULQ R11, AX
	MOVQ AX, BX
	SHRQ $27, BX
	XORQ BX, AX
	IMULQ R12, AX
	MOVQ AX, BX
	SHRQ $31, BX
	XORQ BX, AX
	MOVQ AX, X0
	PSHUFD $0, X0, X0
	SHRQ $32, AX
	IMULQ R8, AX
	SHRQ $32, AX
	SHLQ $6, AX
	ADDQ DI, AX
	MOVOU (AX), X1
	MOVOU 16(AX), X2
	PCMPEQL X0, X1
	PCMPEQL X0, X2
	PACKSSLW X2, X1
	PACKSSWB X1, X1
	PMOVMSKB X1, CX
	ANDL $0x7f, CX
	JZ   done
	BSFL CX, CX
	MOVL 32(AX)(CX*4), BX
	TESTL BX, BX
	JZ   done
	INCL BX
	TESTL $0x7fffffff, BX
	JZ   done
	MOVL BX, 32(AX)(CX*4)
	INCQ DX

check:
	CMPQ DX, R10
	JLT  next

done:
	MOVQ DX, ret+48(FP)
	RET
