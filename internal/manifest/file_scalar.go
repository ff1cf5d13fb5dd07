package manifest

import (
	"math"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// writeScalar writes a value as YAML 1.2 reads it: yes, no, on and off are words, a date is a text.
func (r *reader) writeScalar(n *yaml.Node, path string) {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		r.out.Write(mustJSON(n.Value))
	case "!!null":
		r.out.WriteString("null")
	case "!!bool":
		r.writeDecoded(n, path, new(bool))
	case "!!int":
		r.writeInteger(n, path)
	case "!!float":
		var f float64
		if err := n.Decode(&f); err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) {
			r.reject(n, path, "is not a number that can be used")
			return
		}
		r.writeDecoded(n, path, new(float64))
	default:
		r.reject(n, path, "has the tag "+tag+", which is not understood")
	}
}

// The library reads integers as YAML 1.1 does, where 0100 is 64 and 1_000 and 0b11 are numbers.
var (
	decimalPattern = regexp.MustCompile(`^[-+]?[0-9]+$`)
	basedPattern   = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
)

func (r *reader) writeInteger(n *yaml.Node, path string) {
	base := 10
	switch {
	case decimalPattern.MatchString(n.Value):
	case basedPattern.MatchString(n.Value):
		base = 0
	case n.Style&yaml.TaggedStyle != 0:
		r.reject(n, path, "is not what its tag says")
		return
	default:
		r.out.Write(mustJSON(n.Value))
		return
	}
	if i, err := strconv.ParseInt(n.Value, base, 64); err == nil {
		r.out.Write(mustJSON(i))
		return
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(f, 0) {
		r.reject(n, path, "is not a number that can be used")
		return
	}
	r.out.Write(mustJSON(f))
}

func (r *reader) writeDecoded(n *yaml.Node, path string, into any) {
	if err := n.Decode(into); err != nil {
		r.reject(n, path, "is not what its tag says")
		return
	}
	r.out.Write(mustJSON(into))
}

func (r *reader) reject(n *yaml.Node, path, text string) {
	r.addFault(n.Line, path, text)
	r.out.WriteString("null")
}
