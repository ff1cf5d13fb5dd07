package mcp_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var placeholder = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// expand puts in what is known; {{x*5}} is xxxxx.
func (tl *teller) expand(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		name := strings.Trim(p, "{}")
		if s, count, ok := strings.Cut(name, "*"); ok && s != "" {
			if n, err := strconv.Atoi(count); err == nil {
				return strings.Repeat(s, n)
			}
		}
		if s, ok := tl.known[name]; ok {
			return s
		}
		return p
	})
}

// one makes a call and compares its result.
func (tl *teller) one(x exchange) error {
	if x.tool == "INDEXED" {
		return tl.index()
	}
	key := tl.house.Key
	if x.as != "" {
		key = tl.known[x.as]
	}
	args := cmp.Or(tl.expand(x.args), "{}")
	out, err := tl.session(key).CallTool(tl.t.Context(), &sdk.CallToolParams{Name: x.tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err
	}
	text := out.Content[0].(*sdk.TextContent).Text
	want, refused := strings.CutPrefix(x.want, "REFUSED")
	if refused != out.IsError || refused != (out.StructuredContent == nil) {
		return fmt.Errorf("refused: %v, structured: %v\n%s", out.IsError, out.StructuredContent, text)
	}
	return errors.Join(tl.fits(x, args, out), tl.compareJSON(text, want))
}

func (tl *teller) index() error {
	for {
		if more, err := tl.house.Indexer.Round(tl.t.Context()); err != nil || !more {
			return err
		}
	}
}

// fits holds a result that is no refusal, and what was asked for, to the tool's schemas.
func (tl *teller) fits(x exchange, args string, out *sdk.CallToolResult) error {
	if out.IsError {
		return nil
	}
	err := tl.schemas[x.tool].out.Validate(plainJSON(tl.t, out.StructuredContent))
	if !x.loosely {
		err = errors.Join(err, tl.schemas[x.tool].in.Validate(plainJSON(tl.t, json.RawMessage(args))))
	}
	return err
}

func (tl *teller) compareJSON(got, want string) error {
	var g, w any
	if err := decode(got, &g); err != nil {
		return fmt.Errorf("the reply is not JSON: %w\n%s", err, got)
	}
	if err := decode(want, &w); err != nil {
		return fmt.Errorf("the story is not JSON: %w\n%s", err, want)
	}
	kept := map[string]string{}
	if err := tl.match("", g, w, kept); err != nil {
		return fmt.Errorf("%w\ngot %s", err, got)
	}
	for name, value := range kept {
		tl.known[name] = value
	}
	return nil
}

func decode(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	return d.Decode(into)
}

func (tl *teller) match(at string, got, want any, kept map[string]string) error {
	switch want := want.(type) {
	case string:
		return tl.matchText(at, got, want, kept)
	case map[string]any:
		return tl.matchObject(at, got, want, kept)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s: %v, want %d items", at, got, len(want))
		}
		for i := range want {
			if err := tl.match(fmt.Sprintf("%s[%d]", at, i), list[i], want[i], kept); err != nil {
				return err
			}
		}
		return nil
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: %v, want %v", at, got, want)
	}
	return nil
}

func (tl *teller) matchObject(at string, got any, want map[string]any, kept map[string]string) error {
	object, ok := got.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %v, want an object", at, got)
	}
	_, open := want["..."]
	for name := range object {
		if _, ok := want[name]; !ok && !open {
			return fmt.Errorf("%s.%s was not due: %v", at, name, object[name])
		}
	}
	for name, w := range want {
		g, ok := object[name]
		if name == "..." {
			continue
		}
		if !ok {
			return fmt.Errorf("%s.%s is missing", at, name)
		}
		if err := tl.match(at+"."+name, g, w, kept); err != nil {
			return err
		}
	}
	return nil
}

func (tl *teller) matchText(at string, got any, want string, kept map[string]string) error {
	want = tl.expand(want)
	if want == "{{*}}" {
		return nil
	}
	text, ok := got.(string)
	if m := placeholder.FindStringSubmatch(want); ok && m != nil && m[0] == want {
		kept[m[1]] = text
		return nil
	}
	if prefix, isPrefix := strings.CutSuffix(want, "{{*}}"); ok && isPrefix && strings.HasPrefix(text, prefix) {
		return nil
	}
	if !ok || text != want {
		return fmt.Errorf("%s: %v, want %q", at, got, want)
	}
	return nil
}
