package actions

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/outbound"
)

const (
	maxShownBytes   = 16 << 10 // bytes of a reply that the model is shown
	maxMessageBytes = 200      // bytes of a failing service's own message
)

// replyOutput makes the output of a reply: what was picked, without secrets.
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
	return successOutput(map[string]string{"text": truncate(hide.Replace(strings.ReplaceAll(string(reply.Body), "\x00", "")), maxShownBytes)})
}

func (r *request) limitOutput(out chat.Output) chat.Output {
	switch {
	case len(out.Data) <= maxShownBytes:
		return out
	case r.fields != nil:
		return failedOutput("the picked part of the service's reply is larger than %d kB", maxShownBytes>>10)
	}
	return failedOutput("the service's reply is larger than %d kB: pick the fields that matter (response)", maxShownBytes>>10)
}

// decodeReply reads a reply that says it is JSON, or looks like it.
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

// refusedOutput words a reply that is no success: its status, and a short message where the document has one in the usual place.
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
			return truncate(strings.Join(strings.Fields(text), " "), maxMessageBytes)
		}
	}
	return ""
}

// truncate shortens a text to at most n bytes, between characters.
func truncate(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
