package manifest

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxText is the most bytes a file of a source may have; the rule on texts counts characters and is kept elsewhere.
const maxText = 4 << 20

// texts puts the content of the files that sources name where their names stand.
func (r *reader) texts(doc *yaml.Node) {
	for i, source := range items(member(doc, "sources")) {
		name := member(source, "file")
		if name == nil {
			continue
		}
		path := "sources." + strconv.Itoa(i)
		if member(source, "content") != nil {
			r.fault(name.Line, path+".file", "content and file exclude each other")
		} else if text, fault := r.textOf(name); fault != "" {
			r.fault(name.Line, path+".file", fault)
		} else {
			r.replace(source, text)
			continue
		}
		r.replace(source, "?") // so that nothing more is said of it
	}
}

// replace makes the member file of a source its content.
func (r *reader) replace(source *yaml.Node, text string) {
	var kept []*yaml.Node
	for i := 0; i+1 < len(source.Content); i += 2 {
		key, value := source.Content[i], source.Content[i+1]
		switch key.Value {
		case "content":
			continue
		case "file":
			key = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "content", Line: key.Line}
			value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: value.Line}
		}
		kept = append(kept, key, value)
	}
	source.Content = kept
}

func (r *reader) textOf(name *yaml.Node) (text, fault string) {
	if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" || name.Value == "" {
		return "", "must be the path of a text file, seen from the manifest"
	}
	f, err := r.around.Open(name.Value)
	if err != nil {
		return "", reason(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	r.read += len(b)
	switch {
	case r.read > maxJSON:
		return "", fmt.Sprintf("the files of the manifest hold more than %d MB", maxJSON>>20)
	case err != nil:
		return "", reason(err)
	case len(b) > maxText:
		return "", fmt.Sprintf("the file is larger than %d MB", maxText>>20)
	case !utf8.Valid(b):
		return "", "the file is not UTF-8 text"
	case len(bytes.TrimSpace(b)) == 0:
		return "", "the file is empty"
	}
	return string(bytes.TrimPrefix(b, []byte("\ufeff"))), ""
}

func reason(err error) string { return "cannot be read: " + strings.TrimSpace(err.Error()) }

// member gives a mapping's value of that name, or nil.
func member(n *yaml.Node, name string) *yaml.Node {
	if n = resolved(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return resolved(n.Content[i+1])
		}
	}
	return nil
}

// items gives the values of a list, or none.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	list := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		list[i] = resolved(item)
	}
	return list
}

func resolved(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
