package actions

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/outbound"
)

// Whatever a service returns, the output is short JSON without the secret.
func FuzzReply(f *testing.F) {
	f.Add(200, "application/json", `{"a":[{"b":1,"top-secret":"top-secret"}]}`)
	f.Add(500, "application/problem+json", `{"error":{"message":"top-secret"}}`)
	f.Add(204, "", "")
	f.Add(200, "text/html", "top-secret\x00\xff")
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		for _, picked := range []fieldTree{nil, newFieldTree([]string{"a[].b", "error.message"})} {
			r := &request{fields: picked}
			out := r.replyOutput(&outbound.Response{Status: status, Header: http.Header{"Content-Type": {kind}},
				Body: []byte(body)}, secretReplacer(map[string]string{"K": "top-secret"}))
			text := string(out.JSON())
			if !json.Valid([]byte(text)) || !utf8.ValidString(out.Error) || len(out.Data) > 8*maxShownBytes ||
				strings.Contains(text, "top-secret") {
				t.Errorf("%d %q %q: %s", status, kind, body, text)
			}
		}
	})
}

// Whatever a model sends, accepted inputs have their type, and no URL leaves the configured host.
func FuzzInput(f *testing.F) {
	f.Add(`{"s":"../..","n":1e9,"b":"true"}`)
	f.Add(`{"s":"\u0000?#@evil.example:80/","n":"0x1"}`)
	inputs := []parley.ActionInput{{Name: "s", Type: "string"}, {Name: "n", Type: "number"}, {Name: "b", Type: "boolean"}}
	f.Fuzz(func(t *testing.T, call string) {
		known, err := readInputs(inputs, json.RawMessage(call))
		if err != nil {
			return
		}
		for name, raw := range known {
			if !json.Valid(raw) {
				t.Errorf("%s: %s is %q", call, name, raw)
			}
		}
		v := values{inputs: known}
		address, err := v.buildURL("https://a.example/x/{s}/y?q={s}", map[string]string{"n": "{n}"})
		if err == nil && (!strings.HasPrefix(address, "https://a.example/x/") || strings.Contains(address, "/../") ||
			strings.ContainsAny(address, "#\x00\n ")) {
			t.Errorf("%s: %s", call, address)
		}
	})
}
