package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"parley"
	"parley/internal/httpclient"
)

const (
	maxBatchTexts    = 96      // of one request
	maxBatchBytes    = 200_000 // of one request
	maxVectorNumbers = 8192    // of one vector
	maxNumberBytes   = 40      // bytes of one number, with what is around it
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

// parseResponse takes the vectors out of an answer to n texts. It goes by the provider's numbers of them, and refuses
// an answer in which one is missing, too long, of another dimension than its fellows, or no direction at all.
func (e *Embedder) parseResponse(response []byte, n int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int            `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(response, &answer); err != nil {
		return nil, httpclient.NewProviderError("the answer is no JSON of embeddings", response)
	}
	if len(answer.Data) != n {
		return nil, httpclient.NewProviderError(fmt.Sprintf("%d vectors came for %d texts", len(answer.Data), n),
			response[:min(len(response), 300)])
	}
	list := make([][]float32, n)
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || list[at] != nil {
			return nil,
				httpclient.NewProviderError(fmt.Sprintf("a vector has the number %d, which is out of range or there twice",
					at), nil)
		}
		v, err := parseVector(d.Embedding)
		if err != nil {
			return nil, err
		}
		if err := e.checkLength(len(v)); err != nil {
			return nil, err
		}
		list[at] = v
	}
	return list, nil
}

// checkLength holds every vector to the dimension of the first one.
func (e *Embedder) checkLength(length int) error {
	e.vectorLength.CompareAndSwap(0, int64(length))
	if want := e.vectorLength.Load(); int64(length) != want {
		return httpclient.NewProviderError(fmt.Sprintf("a vector has %d numbers, others have %d", length, want), nil)
	}
	if e.Dimensions > 0 && length != e.Dimensions {
		e.vectorLength.Store(0)
		return httpclient.NewProviderError(fmt.Sprintf("a vector has %d numbers, and %d were asked for", length,
			e.Dimensions), nil)
	}
	return nil
}

// parseVector reads one embedding, as base64 of little-endian floats or as a list of numbers: some servers send that
// whatever they are asked for.
func parseVector(raw json.RawMessage) (v []float32, err error) {
	if len(raw) > 0 && raw[0] == '"' {
		v, err = decodeBase64Vector(raw)
	} else {
		err = json.Unmarshal(raw, &v)
	}
	switch {
	case err != nil:
		return nil, httpclient.NewProviderError("a vector cannot be read", raw[:min(len(raw), 100)])
	case len(v) == 0 || len(v) > maxVectorNumbers:
		return nil, httpclient.NewProviderError(fmt.Sprintf("a vector has %d numbers", len(v)), nil)
	case !normalize(v):
		return nil, httpclient.NewProviderError("a vector is zero or holds what is no number", nil)
	}
	return v, nil
}

func decodeBase64Vector(raw json.RawMessage) ([]float32, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b)%4 != 0 {
		return nil, fmt.Errorf("%d bytes of floats: %w", len(b), err)
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
