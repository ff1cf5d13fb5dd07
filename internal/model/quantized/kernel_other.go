//go:build !amd64

package quantized

func dotCodes(row []int8, vectors []int16, sums *[groupRows]int32) { dotCodesPlain(row, vectors, sums) }

func addCodes(into []float32, codes []int8, scale float32) { addCodesPlain(into, codes, scale) }

func dotFloats(vector, others []float32, stride int, products []float32) {
	dotFloatsPlain(vector, others, stride, products)
}
