package apiv1_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
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

// compare compares a reply, as JSON or as the lines of a stream.
func (tl *teller) compare(got, want string) error {
	if want == "" {
		return nil
	}
	if strings.HasPrefix(want, "data:") {
		if want = tl.expand(want); strings.TrimRight(got, "\n") != want {
			return fmt.Errorf("the stream is\n%s\nwant\n%s", got, want)
		}
		return nil
	}
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
