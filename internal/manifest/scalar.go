package manifest

import (
	"encoding/json"
	"math"

	"gopkg.in/yaml.v3"
)

// scalar writes a value as YAML 1.2 reads it: yes, no, on and off are words, a date is a text.
func (r *reader) scalar(n *yaml.Node, path string) {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		r.text(n.Value)
	case "!!null":
		r.out.WriteString("null")
	case "!!bool":
		r.decoded(n, path, new(bool))
	case "!!int":
		r.integer(n, path)
	case "!!float":
		var f float64
		if err := n.Decode(&f); err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) {
			r.wrong(n, path, "is not a number that can be used")
			return
		}
		r.decoded(n, path, new(float64))
	default:
		r.wrong(n, path, "has the tag "+tag+", which is not understood")
	}
}

func (r *reader) integer(n *yaml.Node, path string) {
	if n.Decode(new(int64)) == nil {
		r.decoded(n, path, new(int64))
		return
	}
	r.decoded(n, path, new(float64))
}

func (r *reader) decoded(n *yaml.Node, path string, into any) {
	if err := n.Decode(into); err != nil {
		r.wrong(n, path, "is not what its tag says")
		return
	}
	b, err := json.Marshal(into)
	if err != nil {
		r.wrong(n, path, "cannot be written as JSON")
		return
	}
	r.out.Write(b)
}

func (r *reader) wrong(n *yaml.Node, path, text string) {
	r.fault(n.Line, path, text)
	r.out.WriteString("null")
}

func (r *reader) text(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	r.out.Write(b)
}
