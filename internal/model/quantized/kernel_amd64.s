#include "textflag.h"

// func dotCodesAVX2(row *int8, vectors *int16, n int, sums *[4]int32)
//
// n is a positive multiple of 32. Products of neighbours are added in pairs of 32 bits, which is exact.
TEXT ·dotCodesAVX2(SB), NOSPLIT, $0-32
	MOVQ row+0(FP), DI
	MOVQ vectors+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ sums+24(FP), BX
	LEAQ (SI)(CX*2), R8
	LEAQ (R8)(CX*2), R9
	LEAQ (R9)(CX*2), R10
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

next:
	VPMOVSXBW (DI), Y4
	VPMOVSXBW 16(DI), Y5
	VPMADDWD  (SI), Y4, Y6
	VPMADDWD  32(SI), Y5, Y7
	VPADDD    Y6, Y0, Y0
	VPADDD    Y7, Y0, Y0
	VPMADDWD  (R8), Y4, Y8
	VPMADDWD  32(R8), Y5, Y9
	VPADDD    Y8, Y1, Y1
	VPADDD    Y9, Y1, Y1
	VPMADDWD  (R9), Y4, Y10
	VPMADDWD  32(R9), Y5, Y11
	VPADDD    Y10, Y2, Y2
	VPADDD    Y11, Y2, Y2
	VPMADDWD  (R10), Y4, Y12
	VPMADDWD  32(R10), Y5, Y13
	VPADDD    Y12, Y3, Y3
	VPADDD    Y13, Y3, Y3
	ADDQ      $32, DI
	ADDQ      $64, SI
	ADDQ      $64, R8
	ADDQ      $64, R9
	ADDQ      $64, R10
	SUBQ      $32, CX
	JNZ       next

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (BX)
	VZEROUPPER
	RET

// func addCodesAVX2(into *float32, codes *int8, scale float32, n int)
//
// n is a positive multiple of 8.
TEXT ·addCodesAVX2(SB), NOSPLIT, $0-32
	MOVQ into+0(FP), DI
	MOVQ codes+8(FP), SI
	VBROADCASTSS scale+16(FP), Y0
	MOVQ n+24(FP), CX

next:
	VPMOVSXBD (SI), Y1
	VCVTDQ2PS Y1, Y1
	VMULPS    Y0, Y1, Y1
	VADDPS    (DI), Y1, Y1
	VMOVUPS   Y1, (DI)
	ADDQ      $8, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JNZ       next

	VZEROUPPER
	RET

// func dotFloatsAVX2(vector, others *float32, stride, n int, products *[4]float32)
//
// n is a positive multiple of 8.
TEXT ·dotFloatsAVX2(SB), NOSPLIT, $0-40
	MOVQ vector+0(FP), DI
	MOVQ others+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ products+32(FP), BX
	LEAQ (SI)(DX*4), R8
	LEAQ (R8)(DX*4), R9
	LEAQ (R9)(DX*4), R10
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

next:
	VMOVUPS     (DI), Y4
	VFMADD231PS (SI), Y4, Y0
	VFMADD231PS (R8), Y4, Y1
	VFMADD231PS (R9), Y4, Y2
	VFMADD231PS (R10), Y4, Y3
	ADDQ        $32, DI
	ADDQ        $32, SI
	ADDQ        $32, R8
	ADDQ        $32, R9
	ADDQ        $32, R10
	SUBQ        $8, CX
	JNZ         next

	VHADDPS      Y1, Y0, Y0
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVUPS      X0, (BX)
	VZEROUPPER
	RET
