package openai

import (
	"context"
	"iter"
	"math"

	"parley"
	"parley/internal/httpclient"
)

const (
	maxBatchTexts    = 96      // of one request
	maxBatchBytes    = 200_000 // of one request
	maxVectorNumbers = 8192    // of one vector
	maxNumberBytes   = 40      // bytes of one number, with what stands around it
	maxEnvelopeBytes = 64 << 10
)

// maxResponseBytes returns how many bytes an answer to so many texts may have.
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

// embedBatch asks for a few texts together. Where the provider refuses them for what they are, the one at fault is
// looked for.
func (e *Embedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.requestVectors(ctx, texts)
	if err == nil || !httpclient.IsRejectedInput(err) {
		return list, err
	}
	if _, other := e.requestVectors(ctx, []string{"test"}); other != nil {
		return nil, err // the texts are not the cause
	}
	return e.embedHalves(ctx, texts)
}

func (e *Embedder) embedHalves(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 1 {
		v, err := e.embedShortened(ctx, texts[0])
		return [][]float32{v}, err
	}
	var all [][]float32
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		list, err := e.requestVectors(ctx, half)
		if httpclient.IsRejectedInput(err) {
			list, err = e.embedHalves(ctx, half)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// embedShortened asks for the beginning of a text that is too long for the model, shorter each time; nil when nothing
// of it is taken.
func (e *Embedder) embedShortened(ctx context.Context, text string) ([]float32, error) {
	for size := len(text) / 2; size >= 32; size /= 2 {
		list, err := e.requestVectors(ctx, []string{parley.ClipBytes(text, size)})
		if err == nil {
			return list[0], nil
		}
		if !httpclient.IsRejectedInput(err) {
			return nil, err
		}
	}
	return nil, nil
}
