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
	maxShown   = 16 << 10 // bytes of a reply that the model is shown
	maxMessage = 200      // bytes of a failing service's own message
)

// shown makes the output of a reply: what was picked, without secrets.
func (r *request) shown(reply *outbound.Reply, hide *strings.Replacer) chat.Output {
	document, isJSON := decoded(reply)
	if isJSON && r.picks != nil {
		document, _ = r.picks.keep(document)
	}
	document = masked(document, hide)
	if reply.Status < 200 || reply.Status > 299 {
		return refused(reply.Status, document)
	}
	switch {
	case len(bytes.TrimSpace(reply.Body)) == 0:
		return success(nil)
	case isJSON:
		return r.fitting(success(document))
	case r.picks != nil:
		return failed("the service's reply is not JSON")
	}
	return success(map[string]string{"text": cut(hide.Replace(strings.ReplaceAll(string(reply.Body), "\x00", "")), maxShown)})
}

func (r *request) fitting(out chat.Output) chat.Output {
	switch {
	case len(out.Data) <= maxShown:
		return out
	case r.picks != nil:
		return failed("the picked part of the service's reply is larger than %d kB", maxShown>>10)
	}
	return failed("the service's reply is larger than %d kB: pick the fields that matter (response)", maxShown>>10)
}

// decoded reads a reply that says it is JSON, or looks like it.
func decoded(reply *outbound.Reply) (document any, ok bool) {
	body := bytes.TrimSpace(reply.Body)
	kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	said := strings.HasSuffix(kind, "json")
	if len(body) == 0 || !said && body[0] != '{' && body[0] != '[' || !json.Valid(body) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	err := dec.Decode(&document)
	return document, err == nil
}

// refused words a reply that is no success: its status, and a short message where the document has one in the usual place.
func refused(status int, document any) chat.Output {
	text := http.StatusText(status)
	if text != "" {
		text = " (" + text + ")"
	}
	if message := messageOf(document); message != "" {
		return failed("the service answered %d%s: %s", status, text, message)
	}
	return failed("the service answered %d%s", status, text)
}

func messageOf(document any) string {
	object, ok := document.(map[string]any)
	if !ok {
		return ""
	}
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	for _, name := range []string{"message", "error", "detail", "title"} {
		if text, ok := object[name].(string); ok && text != "" {
			return cut(strings.Join(strings.Fields(text), " "), maxMessage)
		}
	}
	return ""
}

// cut shortens a text to at most n bytes, between characters.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
