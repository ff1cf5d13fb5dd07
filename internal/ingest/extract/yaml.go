package extract

import (
	"bytes"
	"context"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// maxYAMLBytes is the largest YAML file whose values are read one by one.
const maxYAMLBytes = 4 << 20

func isYAML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".yaml" || ending == ".yml"
}

// readYAML writes a line for each value, behind the keys that lead to it: "fees, reminder: 1.50 euros". An item of a
// list that holds plain values is one line. What is no valid YAML is read as it is written.
func readYAML(ctx context.Context, data []byte) (draft.Document, error) {
	text := charset.Decode(data, "")
	plain := draft.Document{Title: markdownTitle(text), Text: text}
	if len(text) > maxYAMLBytes {
		return plain, nil
	}
	y := yamlReader{ctx: ctx}
	for dec := yaml.NewDecoder(bytes.NewReader([]byte(text))); ; {
		var root yaml.Node
		if err := dec.Decode(&root); err != nil {
			break
		}
		y.isHead = true
		if !y.readNode("", &root, 0) {
			return plain, ctx.Err()
		}
		y.endBlock()
	}
	if !draft.HasWords(y.out.Text()) {
		return plain, nil
	}
	return draft.Document{Title: markdownTitle(y.out.Text()), Text: y.out.Text()}, nil
}

type yamlReader struct {
	ctx    context.Context
	out    draft.Builder
	lines  []string // that stand together
	isHead bool     // nothing of the document is written yet
}

// readNode reports whether a node can be read.
func (y *yamlReader) readNode(keys string, n *yaml.Node, depth int) bool {
	if depth > draft.MaxDepth || len(keys) > maxPathBytes || y.out.IsFull() || y.ctx.Err() != nil {
		return false
	}
	switch n.Kind {
	case yaml.DocumentNode:
		y.writeComment(n.HeadComment)
		return y.readAll(keys, n.Content, depth)
	case yaml.MappingNode:
		return y.readMapping(keys, n, depth)
	case yaml.SequenceNode:
		return y.readSequence(keys, n, depth)
	case yaml.ScalarNode, yaml.AliasNode:
		y.writeLine(keys, yamlValue(n))
	}
	return true
}

func (y *yamlReader) readAll(keys string, nodes []*yaml.Node, depth int) bool {
	for _, n := range nodes {
		if !y.readNode(keys, n, depth+1) {
			return false
		}
	}
	return true
}

func (y *yamlReader) readMapping(keys string, n *yaml.Node, depth int) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if depth <= 1 {
			y.endBlock()
		}
		y.writeComment(key.HeadComment)
		if !y.readNode(joinKeys(keys, key.Value), value, depth+1) {
			return false
		}
	}
	return true
}

// readSequence writes plain values in one line; each other item is apart.
func (y *yamlReader) readSequence(keys string, n *yaml.Node, depth int) bool {
	var words []string
	for _, item := range n.Content {
		switch value := yamlValue(item); {
		case item.Kind == yaml.ScalarNode:
			words = append(words, value)
		case isFlat(item):
			y.writeLine(keys, flatRecord(item))
		default:
			y.endBlock()
			if !y.readNode(keys, item, depth+1) {
				return false
			}
		}
	}
	y.writeLine(keys, strings.Join(words, ", "))
	return true
}

// isFlat reports whether a node holds keys with plain values only.
func isFlat(n *yaml.Node) bool {
	for i, c := range n.Content {
		if c.Kind != yaml.ScalarNode && i%2 == 1 {
			return false
		}
	}
	return n.Kind == yaml.MappingNode && len(n.Content) > 0
}

func flatRecord(n *yaml.Node) string {
	var parts []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := yamlValue(n.Content[i+1]); value != "" {
			parts = append(parts, joinKeys("", n.Content[i].Value)+": "+value)
		}
	}
	return strings.Join(parts, "; ")
}

// yamlValue returns a plain value as it is written, with the comment behind it; empty for none.
func yamlValue(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode && n.Alias != nil && n.Alias.Kind == yaml.ScalarNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		return ""
	}
	value := draft.CollapseSpaces(n.Value)
	if comment := strings.TrimSpace(strings.TrimLeft(n.LineComment, "# ")); comment != "" {
		value += " (" + comment + ")"
	}
	return value
}

// joinKeys adds a key as words to those above it.
func joinKeys(keys, key string) string {
	key = draft.CollapseSpaces(strings.ReplaceAll(key, "_", " "))
	if keys == "" || key == "" {
		return keys + key
	}
	return keys + ", " + key
}

func (y *yamlReader) writeLine(keys, value string) {
	switch {
	case value == "":
		return
	case keys != "":
		value = keys + ": " + value
	}
	y.lines, y.isHead = append(y.lines, value), false
}

// writeComment writes a comment above what it is about; the first one of a file is its title.
func (y *yamlReader) writeComment(comment string) {
	for line := range strings.Lines(comment) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line == "" {
			continue
		}
		y.endBlock()
		if y.isHead && y.out.Size() == 0 {
			y.out.AddHeading(1, line)
			continue
		}
		y.out.AddParagraph(line)
	}
}

func (y *yamlReader) endBlock() {
	y.out.AddParagraph(strings.Join(y.lines, "\n"))
	y.lines = nil
}
