package quantized

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func dotCodesAVX2(row *int8, vectors *int16, n int, sums *[groupRows]int32)

//go:noescape
func addCodesAVX2(into *float32, codes *int8, scale float32, n int)

//go:noescape
func dotFloatsAVX2(vector, others *float32, stride, n int, products *[groupRows]float32)

// dotCodes multiplies a row with each of groupRows vectors, which are one after the other in vectors and as long as the
// row: whole steps.
func dotCodes(row []int8, vectors []int16, sums *[groupRows]int32) {
	if !hasVectors || len(row) == 0 {
		dotCodesPlain(row, vectors, sums)
		return
	}
	_ = vectors[groupRows*len(row)-1]
	dotCodesAVX2(&row[0], &vectors[0], len(row), sums)
}

// addCodes adds bytes, multiplied by a scale, to as many numbers.
func addCodes(into []float32, codes []int8, scale float32) {
	whole := len(codes) &^ 7
	if !hasVectors || whole == 0 {
		addCodesPlain(into, codes, scale)
		return
	}
	_ = into[whole-1]
	addCodesAVX2(&into[0], &codes[0], scale, whole)
	addCodesPlain(into[whole:], codes[whole:], scale)
}

// dotFloats multiplies a vector with others, whole groups of them.
func dotFloats(vector, others []float32, stride int, products []float32) {
	if !hasVectors || len(vector) == 0 || len(vector)%8 > 0 {
		dotFloatsPlain(vector, others, stride, products)
		return
	}
	_ = others[(len(products)-1)*stride+len(vector)-1]
	for at := 0; at < len(products); at += groupRows {
		dotFloatsAVX2(&vector[0], &others[at*stride], stride, len(vector), (*[groupRows]float32)(products[at:]))
	}
}
