package httpapi

import (
	"encoding/json"
	"testing"

	"parley"
)

type decodeTarget struct {
	Name  string `json:"name" max:"3"`
	Inner struct {
		N int `json:"n" min:"1"`
	} `json:"inner,omitempty"`
	List []struct {
		A Opt[string] `json:"a,omitzero"`
	} `json:"list,omitempty"`
	Any json.RawMessage `json:"any,omitempty"`
}

func TestDecodeIsStrictAtEveryDepth(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`{"name":"abc","inner":{"n":1},"list":[{"a":"x"}],"any":{"x":1}}`: nil,
		`{"name":"abcd","nome":1,"inner":{"n":0,"m":2},"list":[{},{"b":1}]}`: {"name": "must have at most 3 characters", "nome": notAllowedMessage, "inner.n": "must be at least 1",
			"inner.m": notAllowedMessage, "list.1.b": notAllowedMessage},
		`{}`: {"name": "is required"},
	} {
		var d decodeTarget
		err := Decode(json.RawMessage(text), &d)
		if (err == nil) != (want == nil) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil {
			continue
		}
		got := parley.AsError(err).Details
		if len(got) != len(want) {
			t.Errorf("%s: %v", text, got)
		}
		for path, says := range want {
			if got[path] != says {
				t.Errorf("%s: %s: %q", text, path, got[path])
			}
		}
	}
	for text, code := range map[string]parley.Code{`[]`: parley.CodeInvalidBody, `null`: parley.CodeInvalidBody, `{`: parley.CodeInvalidJSON} {
		if err := Decode(json.RawMessage(text), new(decodeTarget)); !parley.IsCode(err, code) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
