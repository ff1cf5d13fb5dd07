package manifest

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"parley"
)

type reader struct {
	file *File
	env  Environment

	doc          Document
	out          bytes.Buffer
	valueCount   int
	paths        int  // bytes of the paths of values
	writtenBytes int  // bytes of the documents before
	sourceBytes  int  // bytes of the files that sources name
	limitReached bool // a bound is passed: the rest is not read
}

func (r *reader) addFault(line int, path, text string) {
	r.file.Faults = append(r.file.Faults, Note{r.file.Name, line, path, text})
}

// readDocument reads one document; an empty one is none.
func (r *reader) readDocument(n *yaml.Node) {
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	if n.Kind == 0 || n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.addFault(n.Line, "", "a document is a mapping of parts, such as agent, settings and sources")
		return
	}
	if left := 2 * maxValues; unfolds(n, 0, &left) {
		r.inlineFiles(n)
		r.warnAboutKeys(n)
	} // otherwise writeValue reports the bound
	r.doc = Document{line: n.Line, lines: map[string]int{}}
	r.out.Reset()
	r.writeValue(n, "", 0)
	r.writtenBytes += r.out.Len()
	if r.limitReached {
		return
	}
	r.doc.JSON = bytes.Clone(r.out.Bytes())
	r.collectSecrets(r.doc.JSON)
	r.file.Documents = append(r.file.Documents, r.doc)
}

// unfolds reports whether the names and values of the node, with all that aliases repeat, are within the bounds, and
// subtracts them from left.
func unfolds(n *yaml.Node, depth int, left *int) bool {
	if *left--; *left < 0 || depth > maxDepth {
		return false
	}
	if n.Kind == yaml.AliasNode {
		return unfolds(n.Alias, depth+1, left)
	}
	for _, inner := range n.Content {
		if !unfolds(inner, depth+1, left) {
			return false
		}
	}
	return true
}

// writeValue writes the node as JSON; what cannot be written is a fault and becomes null.
func (r *reader) writeValue(n *yaml.Node, path string, depth int) {
	if r.checkLimits(n, path, depth); r.limitReached {
		return
	}
	if _, ok := r.doc.lines[path]; !ok && path != "" {
		r.doc.lines[path] = n.Line
	}
	switch n.Kind {
	case yaml.AliasNode:
		r.writeValue(n.Alias, path, depth+1)
	case yaml.MappingNode:
		r.writeMapping(n, path, depth)
	case yaml.SequenceNode:
		r.writeSequence(n, path, depth)
	default:
		r.writeScalar(n, path)
	}
}

// checkLimits notes the first bound that is passed. An anchor that holds itself ends at the depth.
func (r *reader) checkLimits(n *yaml.Node, path string, depth int) {
	r.valueCount++
	r.paths += len(path)
	var text string
	switch {
	case r.limitReached:
		return
	case depth > maxDepth:
		text = "the manifest is nested too deeply, or an anchor holds itself"
	case r.valueCount > maxValues:
		text = fmt.Sprintf("the manifest holds more than %d values, those that aliases repeat included", maxValues)
	case r.paths > maxJSONBytes:
		text = fmt.Sprintf("the names that lead to the values of the manifest have more than %d MB", maxJSONBytes>>20)
	case r.writtenBytes+r.out.Len() > maxJSONBytes:
		text = fmt.Sprintf("the manifest and the files it names hold more than %d MB, what aliases repeat included",
			maxJSONBytes>>20)
	default:
		return
	}
	r.limitReached = true
	r.addFault(n.Line, path, text)
}

func (r *reader) writeMapping(n *yaml.Node, path string, depth int) {
	seen := map[string]bool{}
	r.out.WriteByte('{')
	for i := 0; i+1 < len(n.Content) && !r.limitReached; i += 2 {
		key, value := resolveAlias(n.Content[i]), n.Content[i+1]
		if fault := keyFault(key, seen); fault != "" {
			r.checkLimits(n.Content[i], path, depth)
			r.addFault(n.Content[i].Line, joinPath(path, shortName(key.Value)), fault)
			continue
		}
		if len(seen) > 0 {
			r.out.WriteByte(',')
		}
		seen[key.Value] = true
		r.doc.lines[joinPath(path, key.Value)] = n.Content[i].Line
		r.out.Write(mustJSON(key.Value))
		r.out.WriteByte(':')
		r.writeValue(value, joinPath(path, key.Value), depth+1)
	}
	r.out.WriteByte('}')
}

// shortName returns a name as faults show it.
func shortName(name string) string {
	if len(name) <= maxName {
		return name
	}
	return parley.ClipBytes(name, 100) + "…"
}

func keyFault(key *yaml.Node, seen map[string]bool) string {
	switch {
	case key.Kind != yaml.ScalarNode:
		return "a name is expected here, not a list or a mapping"
	case len(key.Value) > maxName:
		return fmt.Sprintf("a name has at most %d bytes", maxName)
	case key.ShortTag() == "!!merge":
		return "merge keys (<<) are not understood; write the fields out, or use an alias for a whole value"
	case seen[key.Value]:
		return "is there twice"
	}
	return ""
}

func (r *reader) writeSequence(n *yaml.Node, path string, depth int) {
	r.out.WriteByte('[')
	for i, item := range n.Content {
		if r.limitReached {
			break
		}
		if i > 0 {
			r.out.WriteByte(',')
		}
		r.writeValue(item, joinPath(path, strconv.Itoa(i)), depth+1)
	}
	r.out.WriteByte(']')
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

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
