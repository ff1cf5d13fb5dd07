package quantized

// dotCodesPlain multiplies a row with each of groupRows vectors, which are one after the other in vectors and as long
// as the row.
func dotCodesPlain(row []int8, vectors []int16, sums *[groupRows]int32) {
	for at := range sums {
		vector := vectors[at*len(row) : (at+1)*len(row)]
		var s, t int32
		for i := 0; i+2 <= len(vector); i += 2 {
			s += int32(row[i]) * int32(vector[i])
			t += int32(row[i+1]) * int32(vector[i+1])
		}
		sums[at] = s + t
	}
}

// addCodesPlain adds bytes, multiplied by a scale, to numbers.
func addCodesPlain(into []float32, codes []int8, scale float32) {
	for i, c := range codes {
		into[i] += float32(float32(c) * scale)
	}
}

// dotFloatsPlain multiplies a vector with others, which begin a stride apart, and returns a product of each.
func dotFloatsPlain(vector, others []float32, stride int, products []float32) {
	for at := range products {
		other := others[at*stride : at*stride+len(vector)]
		var sum float32
		for i, v := range vector {
			sum += float32(v * other[i])
		}
		products[at] = sum
	}
}

// DotFloats multiplies a vector with others, which begin a stride apart, and writes a product of each.
func DotFloats(vector, others []float32, stride int, products []float32) {
	whole := len(products) &^ (groupRows - 1)
	if whole > 0 {
		dotFloats(vector, others, stride, products[:whole])
	}
	if whole < len(products) {
		dotFloatsPlain(vector, others[whole*stride:], stride, products[whole:])
	}
}
