// Package quantized multiplies with matrices whose numbers take a byte each. A row of a matrix has a scale of its own,
// and a vector that is multiplied is rounded to 13 bits for the time. Bytes are multiplied and added exactly, so that
// the processor's vector instructions and plain Go come to the same.
package quantized

import (
	"fmt"
	"math"
)

const (
	maxCode = 127
	// maxInput is the largest number that a vector is rounded to, where the sum over MaxColumns still fits 32 bits.
	maxInput = 4095

	// MaxColumns is how long a row may be.
	MaxColumns = 4096
	maxRows    = 4 << 20
	// step is how many numbers the inner loops take at a time; rows are filled up with zeros to whole steps.
	step = 32
	// groupRows is how many vectors the inner loops multiply a row with at a time.
	groupRows = 4
	// blockRows is how many vectors are multiplied with all rows before the next ones, so that they stay in the cache.
	blockRows = 16
)

// Matrix is a matrix of rows of bytes.
type Matrix struct {
	rows, columns int
	stride        int // bytes of a row
	codes         []int8
	scales        []float32 // by row
}

// NewMatrix returns a matrix of zeros.
func NewMatrix(rows, columns int) (*Matrix, error) {
	if rows < 1 || columns < 1 || columns > MaxColumns || rows > maxRows {
		return nil, fmt.Errorf("a matrix of %d rows of %d numbers is not supported", rows, columns)
	}
	stride := padded(columns)
	return &Matrix{rows: rows, columns: columns, stride: stride, codes: make([]int8, rows*stride),
		scales: make([]float32, rows)}, nil
}

// padded returns the length in whole steps.
func padded(n int) int { return (n + step - 1) / step * step }

// Rows returns how many rows the matrix has.
func (m *Matrix) Rows() int { return m.rows }

// Columns returns how many numbers a row has.
func (m *Matrix) Columns() int { return m.columns }

// Bytes returns how much memory the matrix takes.
func (m *Matrix) Bytes() int { return len(m.codes) + 4*len(m.scales) }

// SetRow rounds a row's numbers to bytes.
func (m *Matrix) SetRow(row int, values []float32) {
	scale, inverse := scaleOf(values, maxCode)
	m.scales[row] = scale
	codes := m.codes[row*m.stride:]
	for i, v := range values[:m.columns] {
		codes[i] = int8(round(float32(v * inverse)))
	}
}

// scaleOf returns the scale by which the largest number becomes a bound, and its inverse; zeros for numbers that are
// too small to have one.
func scaleOf(values []float32, bound float32) (scale, inverse float32) {
	top := maxAbs(values)
	inverse = bound / top
	if top == 0 || math.IsInf(float64(inverse), 0) {
		return 0, 0
	}
	return top / bound, inverse
}

// roundingOffset is so large that a number of up to 22 bits loses its fraction where it is added, and that the number
// is then in the lowest bits.
const roundingOffset = 3 << 22

// round returns the nearest whole number of one that has few bits, which spares the many conversions.
func round(v float32) int32 {
	const offset float32 = roundingOffset
	return int32(math.Float32bits(v+offset)) - int32(150<<23|1<<22) // the bits of the offset
}

func maxAbs(values []float32) (top float32) {
	for _, v := range values {
		top = max(top, v, -v)
	}
	return top
}

// AddRow adds a row, multiplied by a weight, to a vector of as many numbers as a row has.
func (m *Matrix) AddRow(row int, weight float32, into []float32) {
	codes := m.codes[row*m.stride : row*m.stride+m.columns]
	addCodes(into[:m.columns], codes, m.scales[row]*weight)
}

// Input holds vectors that are rounded to be multiplied. It is used again and again, by one goroutine.
type Input struct {
	codes  []int16
	scales []float32 // by vector
	stride int
	sums   [groupRows]int32
}

// set rounds vectors, one after the other in values, of so many numbers each.
func (in *Input) set(values []float32, columns int) {
	rows := len(values) / columns
	in.stride = padded(columns)
	in.codes = resize(in.codes, (rows+groupRows-1)/groupRows*groupRows*in.stride)
	in.scales = resize(in.scales, rows)
	for row := range rows {
		from, into := values[row*columns:(row+1)*columns], in.codes[row*in.stride:(row+1)*in.stride]
		scale, inverse := scaleOf(from, maxInput)
		in.scales[row] = scale
		for i, v := range from {
			into[i] = int16(round(float32(v * inverse)))
		}
		clear(into[columns:])
	}
}

// resize returns a slice of a length, with the memory that there is where that is enough. What it holds is left over.
func resize[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// Multiply multiplies the matrix with each of some vectors, one after the other in values, and writes the results, as
// many numbers as there are rows and the bias added to each, one after the other into results. The bias may be nil.
func (m *Matrix) Multiply(in *Input, values, bias, results []float32) {
	in.set(values, m.columns)
	vectors := len(in.scales)
	for first := 0; first < vectors; first += blockRows {
		last := min(first+blockRows, vectors)
		for row := range m.rows {
			for at := first; at < last; at += groupRows {
				m.multiplyGroup(in, row, at, min(at+groupRows, last), bias, results)
			}
		}
	}
}

// multiplyGroup multiplies a row with the vectors from one to before another, at most groupRows.
func (m *Matrix) multiplyGroup(in *Input, row, from, to int, bias, results []float32) {
	codes := m.codes[row*m.stride : (row+1)*m.stride]
	dotCodes(codes, in.codes[from*in.stride:(from+groupRows)*in.stride], &in.sums)
	scale, offset := m.scales[row], float32(0)
	if bias != nil {
		offset = bias[row]
	}
	for at := from; at < to; at++ {
		results[at*m.rows+row] = float32(float32(in.sums[at-from])*(scale*in.scales[at])) + offset
	}
}
