package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

type square struct {
	Type string `json:"type" enum:"square"`
	Side int    `json:"side" min:"1"`
}

type circle struct {
	Type   string `json:"type" enum:"circle"`
	Radius int    `json:"radius" min:"1"`
}

type dot struct {
	Type string `json:"type" enum:"dot"`
}

// One of three shapes is one of two, the second of which is one of two.
func TestOneOfThree(t *testing.T) {
	type figure struct {
		Body Either[square, Either[circle, dot]] `json:"body"`
	}
	var f figure
	if err := Decode(json.RawMessage(`{"body": {"type": "circle", "radius": 2}}`), &f); err != nil || f.Body.A != nil || f.Body.B.A.Radius != 2 {
		t.Errorf("%+v %v", f, err)
	}
	for text, want := range map[string]map[string]string{
		`{"body": {"type": "circle"}}`: {"body.radius": "is required"},
		`{"body": {"type": "line"}}`:   {"body.type": "must be one of: square, circle, dot"},
		`{"body": {}}`:                 {"body.type": "must be one of: square, circle, dot"},
		`{"body": []}`:                 {"body": "must be an object whose type is square or circle or dot"},
	} {
		err := Decode(json.RawMessage(text), &figure{})
		if diff := cmp.Diff(want, parley.AsError(err).Details); diff != "" {
			t.Error(text, diff)
		}
	}
}
