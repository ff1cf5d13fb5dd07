package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Write returns the JSON documents as YAML, with their members in order. Read returns the same documents.
func Write(documents ...json.RawMessage) (string, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	for _, doc := range documents {
		n, err := parseNode(doc)
		if err != nil {
			return "", err
		}
		if err := enc.Encode(n); err != nil {
			return "", err
		}
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return out.String(), nil
}

func parseNode(text json.RawMessage) (*yaml.Node, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return readNode(dec)
}

func readNode(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		return readGroup(dec, v)
	case string:
		return textNode(v), nil
	case json.Number:
		return numberNode(v.String()), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// readGroup reads an object or a list after its opening bracket.
func readGroup(dec *json.Decoder, opening json.Delim) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if opening == '{' {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for dec.More() {
		inner, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, inner)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n, nil
}

func numberNode(text string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// textNode writes a text of several lines as a block where YAML would read the same text again, else in double quotes.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case fitsBlock(s):
		n.Style = yaml.LiteralStyle
	case s == "<<", strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func fitsBlock(s string) bool {
	if !strings.Contains(s, "\n") || strings.TrimSpace(s) == "" || unicode.IsSpace([]rune(s)[0]) {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(line, " ") != line {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}
