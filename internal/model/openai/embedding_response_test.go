package openai

import (
	"math"
	"testing"
)

// Any answer of a provider leads to as many vectors of length 1 as were requested, or to an error.
func FuzzEmbeddings(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":"AACAPwAAAAA="}]}`))
	f.Add([]byte(`{"data":[{"embedding":[0.5,-2e3]},{"embedding":[1e38,1e38]}]}`))
	f.Add([]byte(`{"data":[{"index":0,"embedding":[]},{"index":0}],"error":null}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		list, err := (&Embedder{}).parseResponse(response, 2)
		if err != nil {
			return
		}
		if len(list) != 2 || len(list[0]) != len(list[1]) {
			t.Fatalf("%v", list)
		}
		for _, v := range list {
			sum := 0.0
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if !(math.Abs(sum-1) < 1e-3) {
				t.Errorf("a vector of length² %g: %v", sum, v)
			}
		}
	})
}
