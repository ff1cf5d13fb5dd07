package actions

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"strings"

	"parley"
	"parley/internal/chat"
	"parley/internal/outbound"
)

const (
	maxShownBytes   = 16 << 10 // bytes of a reply that the model gets
	maxMessageBytes = 200      // bytes of a failing service's own message
)

// replyOutput returns the output for a reply: its picked parts, without secrets.
func (r *request) replyOutput(reply *outbound.Response, hide *strings.Replacer) chat.Output {
	document, isJSON := decodeReply(reply)
	if isJSON && r.fields != nil {
		document, _ = r.fields.pick(document)
	}
	document = maskSecrets(document, hide)
	if reply.Status < 200 || reply.Status > 299 {
		return refusedOutput(reply.Status, document)
	}
	switch {
	case len(bytes.TrimSpace(reply.Body)) == 0:
		return successOutput(nil)
	case isJSON:
		return r.limitOutput(successOutput(document))
	case r.fields != nil:
		return failedOutput("the service's reply is not JSON")
	}
	text := hide.Replace(parley.StorableText(string(reply.Body)))
	return successOutput(map[string]string{"text": clip(text, maxShownBytes)})
}

func (r *request) limitOutput(out chat.Output) chat.Output {
	switch {
	case len(out.Data) <= maxShownBytes:
		return out
	case r.fields != nil:
		return failedOutput("the picked part of the service's reply is larger than %d kB", maxShownBytes>>10)
	}
	return failedOutput("the service's reply is larger than %d kB: pick the fields that matter (response)",
		maxShownBytes>>10)
}

// decodeReply decodes a reply that is declared as JSON or looks like it.
func decodeReply(reply *outbound.Response) (document any, ok bool) {
	body := bytes.TrimSpace(reply.Body)
	kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	isJSONType := strings.HasSuffix(kind, "json")
	if len(body) == 0 || !isJSONType && body[0] != '{' && body[0] != '[' || !json.Valid(body) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	err := dec.Decode(&document)
	return document, err == nil
}

// refusedOutput returns the failure for an unsuccessful reply: its status, and its message where the document has a
// usual one.
func refusedOutput(status int, document any) chat.Output {
	text := http.StatusText(status)
	if text != "" {
		text = " (" + text + ")"
	}
	if message := replyMessage(document); message != "" {
		return failedOutput("the service answered %d%s: %s", status, text, message)
	}
	return failedOutput("the service answered %d%s", status, text)
}

func replyMessage(document any) string {
	object, ok := document.(map[string]any)
	if !ok {
		return ""
	}
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	for _, name := range []string{"message", "error", "detail", "title"} {
		if text, ok := object[name].(string); ok && text != "" {
			return clip(strings.Join(strings.Fields(text), " "), maxMessageBytes)
		}
	}
	return ""
}

// clip returns at most n bytes of a text, without what is not UTF-8.
func clip(text string, n int) string { return parley.ClipBytes(strings.ToValidUTF8(text, "\uFFFD"), n) }

// fieldPathPattern matches a place in a JSON document: names joined by dots, each with [] where it holds a list; [] at
// the beginning stands for a list at the top.
var fieldPathPattern = regexp.MustCompile(`^(\[\](\.|$))?([^.\[\]\s]+(\[\])*(\.[^.\[\]\s]+(\[\])*)*)?$`)

// fieldTree is a tree of the fields to keep; a leaf keeps all below it.
type fieldTree map[string]fieldTree

func newFieldTree(paths []string) fieldTree {
	root := fieldTree{}
	for _, path := range paths {
		at := root
		for _, name := range strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".") {
			if name == "" {
				continue
			}
			next, exists := at[name]
			if !exists {
				next = fieldTree{}
				at[name] = next
			}
			at = next
		}
		at["*"] = fieldTree{}
	}
	return root
}

// pick returns the picked parts of a decoded document in their places, and whether there are any.
func (t fieldTree) pick(value any) (any, bool) {
	if _, all := t["*"]; all {
		return value, true
	}
	switch v := value.(type) {
	case map[string]any:
		picked := map[string]any{}
		for name, below := range t {
			if part, exists := v[name]; exists {
				if part, found := below.pick(part); found {
					picked[name] = part
				}
			}
		}
		return picked, len(picked) > 0
	case []any:
		below, listed := t["[]"]
		if !listed {
			return nil, false
		}
		picked := []any{}
		for _, item := range v {
			if part, found := below.pick(item); found {
				picked = append(picked, part)
			}
		}
		return picked, true
	}
	return nil, false
}
