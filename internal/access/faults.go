package access

import (
	"fmt"
	"iter"

	"go.yaml.in/yaml/v3"
)

// faults gathers all that is wrong with a file, so that it can be mended in one go.
type faults struct{ list []error }

func (f *faults) add(at *yaml.Node, format string, args ...any) {
	f.list = append(f.list, fmt.Errorf("line %d: "+format, append([]any{at.Line}, args...)...))
}

func (f *faults) decode(n *yaml.Node, into any, want string) {
	if n.Decode(into) != nil {
		f.add(n, "%q is not %s", n.Value, want)
	}
}

// mappingPairs walks a mapping's keys and values in the order of the file.
func mappingPairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}
