package openai

import (
	"iter"
	"math"
)

const (
	maxBatchTexts    = 96      // of one request
	maxBatchBytes    = 200_000 // of one request
	maxVectorNumbers = 8192    // of one vector
	maxNumberBytes   = 40      // bytes of one number, with what stands around it
	maxEnvelopeBytes = 64 << 10
)

// maxResponseBytes is how many bytes an answer to so many texts may have.
func maxResponseBytes(texts int) int64 {
	return maxEnvelopeBytes + int64(texts)*maxVectorNumbers*maxNumberBytes
}

// splitBatches parts the texts into runs that fit one request; a text that alone is too much stands alone.
func splitBatches(texts []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for len(texts) > 0 {
			n, size := 1, len(texts[0])
			for n < min(len(texts), maxBatchTexts) && size+len(texts[n]) <= maxBatchBytes {
				size += len(texts[n])
				n++
			}
			if !yield(texts[:n]) {
				return
			}
			texts = texts[n:]
		}
	}
}

// normalize brings the vector to length 1; false when it has none or holds what is no number.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 1e-12) || math.IsInf(length, 0) { // the first is false for NaN as well
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
