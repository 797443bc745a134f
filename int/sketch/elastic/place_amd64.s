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

// The multipliers of hash.Mix64.
DATA factors<>+0(SB)/8, $0xbf58476d1ce4e5b9
DATA factors<>+8(SB)/8, $0x94d049bb133111eb
GLOBL factors<>(SB), RODATA, $16

// FOLD is x ^= x >> n in each of four words.
#define FOLD(n) \
	VPSRLQ $n, Y0, Y1; \
	VPXOR Y1, Y0, Y0

// MULTIPLY is x *= factor, modulo 2^64, in each of four words. The factor's halves are given, and AVX2 multiplies halves:
// the product is low·low plus 2^32 times the sum of the two mixed products.
#define MULTIPLY(low, high) \
	VPSRLQ $32, Y0, Y1; \
	VPMULUDQ low, Y1, Y1; \
	VPMULUDQ high, Y0, Y2; \
	VPADDQ Y1, Y2, Y2; \
	VPSLLQ $32, Y2, Y2; \
	VPMULUDQ low, Y0, Y0; \
	VPADDQ Y2, Y0, Y0

// func locate(spots []spot, keys *uint64, buckets, mixed uint64)
//
// The hash is that of spotOf. Its upper half times the buckets has the bucket above bit 32; its lower half is the identity.
TEXT ·locate(SB), NOSPLIT, $0-48
	MOVQ spots_base+0(FP), DI
	MOVQ spots_len+8(FP), CX
	MOVQ keys+24(FP), SI
	VPBROADCASTQ buckets+32(FP), Y8
	VPBROADCASTQ mixed+40(FP), Y9
	VPBROADCASTQ factors<>+0(SB), Y10
	VPBROADCASTQ factors<>+8(SB), Y11
	VPSRLQ $32, Y10, Y12
	VPSRLQ $32, Y11, Y13
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $32, Y15, Y15
	XORQ DX, DX
	JMP  more

four:
	VPXOR (SI)(DX*8), Y9, Y0
	FOLD(30)
	MULTIPLY(Y10, Y12)
	FOLD(27)
	MULTIPLY(Y11, Y13)
	FOLD(31)
	VPSRLQ $32, Y0, Y1
	VPMULUDQ Y8, Y1, Y1
	VPANDN Y1, Y15, Y1
	VPAND Y15, Y0, Y0
	VPOR Y1, Y0, Y0
	VMOVDQU Y0, (DI)(DX*8)
	ADDQ $4, DX

more:
	CMPQ DX, CX
	JLT  four
	VZEROUPPER
	RET

// func hits(heavy *bucket, spots []spot) int
//
// The comparison is that of place, without the guard. A flow that has no place, or whose counter is full, is left to insert.
TEXT ·hits(SB), NOSPLIT, $0-40
	MOVQ heavy+0(FP), DI
	MOVQ spots_base+8(FP), SI
	MOVQ spots_len+16(FP), R10
	XORQ DX, DX
	JMP  check

next:
	MOVL 4(SI)(DX*8), AX
	SHLQ $6, AX
	VPBROADCASTD (SI)(DX*8), Y0
	VPCMPEQD (DI)(AX*1), Y0, Y1
	VMOVMSKPS Y1, CX
	ANDL $0x7f, CX
	JZ   done
	BSFL CX, CX
	LEAQ 32(AX)(CX*4), AX
	MOVL (DI)(AX*1), BX
	TESTL BX, BX
	JZ   done
	INCL BX
	TESTL $0x7fffffff, BX
	JZ   done
	MOVL BX, (DI)(AX*1)
	INCQ DX

check:
	CMPQ DX, R10
	JLT  next

done:
	VZEROUPPER
	MOVQ DX, ret+32(FP)
	RET
