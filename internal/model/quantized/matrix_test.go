package quantized

import (
	"math"
	"math/rand/v2"
	"testing"
)

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func randomValues(r *rand.Rand, n int, size float64) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64() * size)
	}
	return list
}

// The processor's instructions and plain Go come to the same numbers, also at the bounds.
func TestKernelsAgree(t *testing.T) {
	r := newRandom()
	for _, n := range []int{32, 64, 96, 384, 1536, MaxColumns} {
		row, vectors := make([]int8, n), make([]int16, groupRows*n)
		for _, isExtreme := range []bool{false, true} {
			for i := range row {
				row[i] = int8(r.IntN(255) - 127)
			}
			for i := range vectors {
				vectors[i] = int16(r.IntN(2*maxInput+1) - maxInput)
			}
			for i := range row {
				if isExtreme {
					row[i], vectors[i], vectors[n+i] = maxCode, maxInput, -maxInput
				}
			}
			var plain, fast [groupRows]int32
			dotCodesPlain(row, vectors, &plain)
			dotCodes(row, vectors, &fast)
			if plain != fast {
				t.Errorf("%d numbers: %v, plain %v", n, fast, plain)
			}
			if isExtreme && plain[0] != int32(n*maxCode*maxInput) {
				t.Errorf("%d numbers: %d", n, plain[0])
			}
		}
	}
	for n := range 70 {
		codes, into := make([]int8, n), randomValues(r, n, 1)
		for i := range codes {
			codes[i] = int8(r.IntN(255) - 127)
		}
		plain := append([]float32(nil), into...)
		addCodesPlain(plain, codes, .37)
		addCodes(into, codes, .37)
		for i := range into {
			if into[i] != plain[i] {
				t.Errorf("%d numbers: %v, plain %v", n, into, plain)
				break
			}
		}
	}
}

func TestDotFloats(t *testing.T) {
	r := newRandom()
	for _, n := range []int{1, 7, 8, 24, 32, 33, 64, 512} {
		for others := range 10 {
			stride := n + 5
			vector, list, products := randomValues(r, n, 1), randomValues(r, (others+1)*stride, 1), make([]float32, others)
			DotFloats(vector, list, stride, products)
			for at, got := range products {
				var want, size float64
				for i, v := range vector {
					product := float64(v) * float64(list[at*stride+i])
					want += product
					size += math.Abs(product)
				}
				if math.Abs(float64(got)-want) > 1e-5*size {
					t.Errorf("%d numbers: %g, want %g", n, got, want)
				}
			}
		}
	}
}

// A product differs from the exact one by what rounding to bytes means.
func TestMultiply(t *testing.T) {
	r := newRandom()
	for _, c := range []struct{ rows, columns, vectors int }{{1, 1, 1}, {5, 8, 3}, {40, 33, 21}, {70, 384, 17}} {
		m, err := NewMatrix(c.rows, c.columns)
		if err != nil {
			t.Fatal(err)
		}
		weights, bias := randomValues(r, c.rows*c.columns, .3), randomValues(r, c.rows, 1)
		for row := range c.rows {
			m.SetRow(row, weights[row*c.columns:(row+1)*c.columns])
		}
		values, results := randomValues(r, c.vectors*c.columns, 2), make([]float32, c.vectors*c.rows)
		var in Input
		m.Multiply(&in, randomValues(r, 40*c.columns, 1), nil, make([]float32, 40*c.rows)) // leaves numbers behind
		m.Multiply(&in, values, bias, results)
		for v := range c.vectors {
			for row := range c.rows {
				exact, size := float64(bias[row]), 0.0
				for i := range c.columns {
					w, x := float64(weights[row*c.columns+i]), float64(values[v*c.columns+i])
					exact += w * x
					size += x * x
				}
				step := float64(m.scales[row])
				if got := float64(results[v*c.rows+row]); math.Abs(got-exact) > 2*step*math.Sqrt(size)+1e-4 {
					t.Errorf("%+v: %g, exactly %g", c, got, exact)
				}
			}
		}
	}
}

func TestRowsOfZeros(t *testing.T) {
	m, err := NewMatrix(2, 8)
	if err != nil {
		t.Fatal(err)
	}
	m.SetRow(0, make([]float32, 8))
	m.SetRow(1, []float32{1e-45, 0, 0, 0, 0, 0, 0, 0})
	results := []float32{1, 1}
	m.Multiply(&Input{}, make([]float32, 8), nil, results)
	if results[0] != 0 || results[1] != 0 {
		t.Errorf("%v", results)
	}
	sum := make([]float32, 8)
	if m.AddRow(1, 2, sum); sum[0] != 0 {
		t.Errorf("%v", sum)
	}
}

func TestMatrixSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {1, MaxColumns + 1}, {-1, 4}, {math.MaxInt, 4}} {
		if _, err := NewMatrix(c[0], c[1]); err == nil {
			t.Errorf("%v is made", c)
		}
	}
	m, err := NewMatrix(3, 33)
	if err != nil || m.Rows() != 3 || m.Columns() != 33 || m.Bytes() != 3*(64+4) {
		t.Errorf("%+v, %v", m, err)
	}
}
