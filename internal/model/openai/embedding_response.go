package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"parley/internal/httpclient"
)

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
