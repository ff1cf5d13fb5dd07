package manifest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"parley"
	"parley/internal/ingest"
)

// maxTextBytes is the most bytes of a source's file; the limit in characters is checked when it is applied.
const maxTextBytes = 4 << 20

// inlineFiles replaces the file names of texts by the content of the files, and adds the bytes of other files.
func (r *reader) inlineFiles(doc *yaml.Node) {
	for i, source := range sequenceValues(mappingValue(doc, "sources")) {
		name := mappingValue(source, "file")
		if name == nil {
			continue
		}
		path := "sources." + strconv.Itoa(i)
		if kind := mappingValue(source, "type"); kind != nil && kind.Value == string(parley.SourceFile) {
			r.addBytes(source, name, path+".file")
			continue
		}
		if mappingValue(source, "content") != nil {
			r.addFault(name.Line, path+".file", "content and file exclude each other")
		} else if text, fault := r.readText(name); fault != "" {
			r.addFault(name.Line, path+".file", fault)
		} else {
			r.inlineText(source, text)
			continue
		}
		r.inlineText(source, "?") // so that it is not reported as missing
	}
}

// inlineText replaces the member "file" of a source by its content.
func (r *reader) inlineText(source *yaml.Node, text string) {
	var content []*yaml.Node
	for i := 0; i+1 < len(source.Content); i += 2 {
		key, value := source.Content[i], source.Content[i+1]
		switch key.Value {
		case "content":
			continue
		case "file":
			key = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "content", Line: key.Line}
			value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: value.Line}
		}
		content = append(content, key, value)
	}
	source.Content = content
}

// addBytes adds the bytes of a file to its source. One that is not there may be the agent's already, where the source
// has its hash.
func (r *reader) addBytes(source, name *yaml.Node, path string) {
	b, fault := r.readFile(name, ingest.MaxFileBytes)
	if fault != "" && mappingValue(source, "sha256") == nil {
		r.addFault(name.Line, path, fault)
	}
	if fault != "" {
		return
	}
	source.Content = append(source.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "data", Line: name.Line},
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: base64.StdEncoding.EncodeToString(b), Line: name.Line})
}

// readFile reads a file that a manifest names, or returns what is wrong with it.
func (r *reader) readFile(name *yaml.Node, maxBytes int) (content []byte, fault string) {
	if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" || name.Value == "" {
		return nil, "must be the path of a file, seen from the manifest"
	}
	f, err := r.env.Open(name.Value)
	if err != nil {
		return nil, readFault(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, int64(maxBytes)+1))
	r.sourceBytes += len(b)
	switch {
	case r.sourceBytes > maxJSONBytes:
		return nil, fmt.Sprintf("the files of the manifest hold more than %d MB", maxJSONBytes>>20)
	case err != nil:
		return nil, readFault(err)
	case len(b) > maxBytes:
		return nil, fmt.Sprintf("the file is larger than %d MB", maxBytes>>20)
	}
	return b, ""
}

func (r *reader) readText(name *yaml.Node) (text, fault string) {
	b, fault := r.readFile(name, maxTextBytes)
	switch {
	case fault != "":
		return "", fault
	case !utf8.Valid(b):
		return "", "the file is not UTF-8 text"
	case len(bytes.TrimSpace(b)) == 0:
		return "", "the file is empty"
	}
	return string(bytes.TrimPrefix(b, []byte("\ufeff"))), ""
}

func readFault(err error) string { return "cannot be read: " + strings.TrimSpace(err.Error()) }

// mappingValue returns a mapping's value of that name, or nil.
func mappingValue(n *yaml.Node, name string) *yaml.Node {
	if n = resolveAlias(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return resolveAlias(n.Content[i+1])
		}
	}
	return nil
}

func sequenceValues(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	list := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		list[i] = resolveAlias(item)
	}
	return list
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
