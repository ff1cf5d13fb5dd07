// Package expect reads what a test expects of a reply: JSON in which {{name}} stands for a value that is not known
// before. Only tests import it.
package expect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// Placeholders are the values that a story has named, from the replies it received.
//
// In a text, {{name}} is replaced once it is known, and {{x*5}} is xxxxx. In expected JSON, an unknown {{name}} matches
// any value and stores it, {{*}} is anything, "INV-{{*}}" anything with that prefix, and a member "..." lets an object
// have more members.
type Placeholders map[string]string

var placeholderPattern = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// Expand replaces the known placeholders of a text.
func (p Placeholders) Expand(text string) string {
	return placeholderPattern.ReplaceAllStringFunc(text, func(match string) string {
		name := strings.Trim(match, "{}")
		if s, count, ok := strings.Cut(name, "*"); ok && s != "" {
			if n, err := strconv.Atoi(count); err == nil {
				return strings.Repeat(s, n)
			}
		}
		if s, ok := p[name]; ok {
			return s
		}
		return match
	})
}

// Compare compares two JSON texts, and stores the placeholders of the expected one if they agree.
func (p Placeholders) Compare(got, want string) error {
	var g, w any
	if err := decodeJSON(got, &g); err != nil {
		return fmt.Errorf("the reply is not JSON: %w\n%s", err, got)
	}
	if err := decodeJSON(want, &w); err != nil {
		return fmt.Errorf("the story is not JSON: %w\n%s", err, want)
	}
	found := map[string]string{}
	if err := p.match("", g, w, found); err != nil {
		return fmt.Errorf("%w\ngot %s", err, got)
	}
	maps.Copy(p, found)
	return nil
}

func decodeJSON(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	return d.Decode(into)
}

func (p Placeholders) match(at string, got, want any, learned map[string]string) error {
	switch want := want.(type) {
	case string:
		return p.matchText(at, got, want, learned)
	case map[string]any:
		return p.matchObject(at, got, want, learned)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s: %v, want %d items", at, got, len(want))
		}
		for i := range want {
			if err := p.match(fmt.Sprintf("%s[%d]", at, i), list[i], want[i], learned); err != nil {
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

func (p Placeholders) matchObject(at string, got any, want map[string]any, learned map[string]string) error {
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
		if err := p.match(at+"."+name, g, w, learned); err != nil {
			return err
		}
	}
	return nil
}

func (p Placeholders) matchText(at string, got any, want string, learned map[string]string) error {
	want = p.Expand(want)
	if want == "{{*}}" {
		return nil
	}
	text, ok := got.(string)
	if m := placeholderPattern.FindStringSubmatch(want); ok && m != nil && m[0] == want {
		learned[m[1]] = text
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
