package manifest

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"

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

// The library reads integers as YAML 1.1 does, where 0100 is 64 and 1_000 and 0b11 are numbers.
var (
	decimal = regexp.MustCompile(`^[-+]?[0-9]+$`)
	based   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
)

func (r *reader) integer(n *yaml.Node, path string) {
	base := 10
	switch {
	case decimal.MatchString(n.Value):
	case based.MatchString(n.Value):
		base = 0
	case n.Style&yaml.TaggedStyle != 0:
		r.wrong(n, path, "is not what its tag says")
		return
	default:
		r.text(n.Value)
		return
	}
	if i, err := strconv.ParseInt(n.Value, base, 64); err == nil {
		r.out.WriteString(strconv.FormatInt(i, 10))
		return
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(f, 0) {
		r.wrong(n, path, "is not a number that can be used")
		return
	}
	b, err := json.Marshal(f)
	if err != nil {
		r.wrong(n, path, "is not a number that can be used")
		return
	}
	r.out.Write(b)
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
