//go:build unix

package actions

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/outbound"
	"parley/internal/testkit/hostile"
)

// The time to read calls, replies and definitions is linear in their size.
func TestWork(t *testing.T) {
	inputs := []parley.ActionInput{{Name: "a", Type: "string"}, {Name: "b", Type: "number"},
		{Name: "c", Type: "string", Enum: []string{"d"}}}
	r := &request{fields: newFieldTree([]string{"a", "b[].c"})}
	hide := secretReplacer(map[string]string{"KEY": "abcdef", "OTHER": "aaaaaaab"})
	reply := func(r *request, body, kind string) {
		r.replyOutput(&outbound.Response{Status: 200, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}, hide)
	}
	hostile.Readers(t, map[string]func(text string){
		"call":  func(text string) { _, _ = readInputs(inputs, []byte(text)) },
		"input": func(text string) { _, _ = readInputs(inputs, call(text)) },
		"reply": func(text string) { reply(&request{}, text, "text/plain") },
		"JSON": func(text string) {
			reply(r, text, "application/json")
			reply(r, `{"b":[`+text+`]}`, "application/json")
		},
		"message": func(text string) { refusedOutput(500, map[string]any{"message": text}) },
		"template": func(text string) {
			values{inputs: map[string]json.RawMessage{"a": json.RawMessage("1")}}.fillTemplate(text, nil)
		},
		"marks":   func(text string) { SecretNames(json.RawMessage(text)) },
		"address": func(text string) { faults{}.checkURL("url", "https://a.example/"+text, inputs, "https") },
		"config":  func(text string) { faults{}.decodeConfig(json.RawMessage(text), &httpConfig{}) },
	})
}

func call(text string) []byte {
	b, err := json.Marshal(map[string]string{"a": text})
	if err != nil {
		panic(err) // encoding a text cannot fail
	}
	return b
}

// Many different names cost no more than one name.
func TestWorkOfManyNames(t *testing.T) {
	readNames := func(n int) func() {
		var b strings.Builder
		for i := range n {
			b.WriteString("${A" + strconv.Itoa(i) + "}")
		}
		return func() {
			if got := len(SecretNames(json.RawMessage(b.String()))); got != n {
				t.Errorf("%d names of %d", got, n)
			}
		}
	}
	readNames(1000)()
	hostile.RequireGrowth(t, readNames(10_000), readNames(80_000))
}

func FuzzWork(f *testing.F) {
	for _, s := range []string{"{a}", "${B}", `{"a":`, "a\x00 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) {
			values{}.fillTemplate(text, nil)
			SecretNames(json.RawMessage(text))
			(&request{}).replyOutput(&outbound.Response{Status: 200, Header: http.Header{}, Body: []byte(text)},
				secretReplacer(map[string]string{"KEY": "abcdef"}))
		})
	})
}
