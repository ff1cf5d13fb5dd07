package retrieval

import (
	"encoding/binary"
	"math"
)

// A vector is stored as a scale and a byte for each of its numbers: four bytes of a little-endian float, and then the
// numbers divided by it. The angle between two vectors is thus exact to about a thousandth, which is finer than what an
// embedding means, in a quarter of the memory; and since bytes are multiplied and added exactly, the order is the same
// on every machine.

const (
	scaleBytes   = 4
	maxCode      = 127
	maxQueryCode = 2047 // of a number of the question: the sum over maxDims numbers still fits 32 bits
	maxDims      = 8192
)

// PackVector returns the stored form of a vector; nil for one that is empty, too long, zero or no number.
func PackVector(v []float32) []byte {
	top := maxAbs(v)
	if len(v) > maxDims || !(top > 0) || math.IsInf(top, 0) {
		return nil
	}
	scale := float32(top / maxCode)
	b := make([]byte, scaleBytes+len(v))
	binary.LittleEndian.PutUint32(b, math.Float32bits(scale))
	for i, x := range v {
		b[scaleBytes+i] = byte(int8(quantize(float64(x)/float64(scale), maxCode)))
	}
	return b
}

// maxAbs returns the largest size of a number; NaN where one is none.
func maxAbs(v []float32) (top float64) {
	for _, x := range v {
		top = max(top, math.Abs(float64(x)))
	}
	return top
}

func quantize(x, bound float64) int32 { return int32(max(-bound, min(bound, math.RoundToEven(x)))) }

// direction is the question's vector, ready to be compared.
type direction struct {
	codes  []int16 // as many as a row has
	scale  float64
	dims   int
	weight float64 // weight beside the words, 0 to 1
}

// newDirection prepares the question's vector; nil when there is none.
func newDirection(v []float32) *direction {
	top := maxAbs(v)
	if len(v) > maxDims || !(top > 0) || math.IsInf(top, 0) {
		return nil
	}
	d := &direction{codes: make([]int16, stride(len(v))), scale: top / maxQueryCode, dims: len(v)}
	for i, x := range v {
		d.codes[i] = int16(quantize(float64(x)/d.scale, maxQueryCode))
	}
	return d
}

// stride returns how many bytes a row of so many numbers takes: whole steps of the inner loop.
func stride(dims int) int { return (dims + dotStep - 1) / dotStep * dotStep }

// dotStep is how many numbers the inner loop takes at a time.
const dotStep = 32

// dotPlain multiplies and adds; both are of the same length, a multiple of dotStep.
func dotPlain(a []int16, b []int8) int32 {
	var s, t, u, v int32
	b = b[:len(a)]
	for i := 0; i+4 <= len(a); i += 4 {
		s += int32(a[i]) * int32(b[i])
		t += int32(a[i+1]) * int32(b[i+1])
		u += int32(a[i+2]) * int32(b[i+2])
		v += int32(a[i+3]) * int32(b[i+3])
	}
	return s + t + u + v
}

// setDirection sets the question's vector, once the words of the message are there.
func (q *question) setDirection(from Query) {
	if q.direction = newDirection(from.Vector); q.direction == nil {
		return
	}
	q.direction.weight = min(1, from.VectorWeight)
	if from.VectorWeight <= 0 {
		foreign := q.unknownShare()
		q.direction.weight = min(maxVectorShare, minVectorShare+float64(vectorShareRise*foreign*foreign))
	}
}

// unknownShare returns the share of the message's content words that no passage holds, neither them nor their synonyms:
// by words the search cannot know what they mean.
func (q *question) unknownShare() float64 {
	all, foreign := 0.0, 0.0
	for _, a := range q.words {
		if a.isStop {
			continue
		}
		all++
		switch {
		case a.isIndexed || len(a.alternatives) > 0:
		case a.isDense: // a stretch of two characters may be none of the language's words
			foreign += 1 - float64(len(a.grams))/float64(max(a.gramCount, 1))
		default:
			foreign++
		}
	}
	return foreign / max(all, 1)
}

// EmbeddingText returns the text to embed for the query: a follow-up says little without the message before it.
func (q Query) EmbeddingText() string {
	if n := len(q.Earlier); n > 0 {
		return q.Earlier[n-1] + "\n" + q.Text
	}
	return q.Text
}
