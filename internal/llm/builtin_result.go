package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	reportLines = 20   // of one result
	reportBytes = 2000 // of one result's list
	reportDepth = 6
	reasonBytes = 500
)

// report tells what the tools at the end of the conversation gave back, a paragraph each.
func report(req Request) string {
	d := dealingsIn(surest(append(agentTexts(req), asked(req.Messages)...)))
	var parts []string
	for _, m := range slices.Backward(req.Messages) {
		if m.Role != "tool" {
			break
		}
		parts = append(parts, d.tell(m.Text))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

// result is what a tool gave back (interface 2.4).
type result struct {
	Status string          `json:"status"`
	Data   json.RawMessage `json:"data"`
	Error  string          `json:"error"`
}

// tell words one result.
func (d dealings) tell(text string) string {
	var r result
	switch err := json.Unmarshal([]byte(text), &r); {
	case r.Status == "error":
		return d.failure(r.Error)
	case err != nil || r.Status != "success" && r.Status != "ignored" && r.Status != "pending":
		return d.data([]byte(text))
	case r.Status != "success":
		return d.undone
	}
	return d.data(r.Data)
}

func (d dealings) failure(reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	if reason = cut(reason, reasonBytes); reason == "" {
		return d.failed + "."
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return d.failed + ": " + reason
}

// data says a message as it is, and lists anything else.
func (d dealings) data(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "" {
		return text
	}
	var said struct {
		Message any `json:"message"`
	}
	if json.Unmarshal(raw, &said) == nil {
		if text, ok := said.Message.(string); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	var l listing
	if len(raw) > 0 && !json.Valid(raw) {
		return cut(strings.TrimSpace(string(raw)), reportBytes)
	}
	l.value("", raw, 0)
	if len(l.lines) == 0 {
		return d.done
	}
	return strings.Join(l.lines, "\n")
}

// listing is the scalar fields of a JSON document in their order, within bounds.
type listing struct {
	lines []string
	size  int
	full  bool
}

func (l *listing) value(name string, raw json.RawMessage, depth int) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || l.full || depth > reportDepth {
		return
	}
	switch raw[0] {
	case '{':
		l.object(name, raw, depth)
	case '[':
		l.array(name, raw, depth)
	default:
		if text := strings.Join(strings.Fields(plainValue(raw)), " "); text != "" && string(raw) != "null" {
			l.line(name, text)
		}
	}
}

func (l *listing) line(name, text string) {
	if name != "" {
		text = name + ": " + text
	}
	room := reportBytes - l.size - len("\n…")
	switch {
	case len(l.lines) == reportLines:
		l.lines[reportLines-1], l.full = "…", true
		return
	case len(text) > room && len(l.lines) > 0:
		text, l.full = "…", true
	}
	l.lines = append(l.lines, cut(text, room+len("…")))
	l.size += len(text) + 1
}

func (l *listing) object(name string, raw json.RawMessage, depth int) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return
	}
	for dec.More() && !l.full {
		key, err := dec.Token()
		var field json.RawMessage
		if err != nil || dec.Decode(&field) != nil {
			return
		}
		text, _ := key.(string)
		l.value(under(name, text), field, depth+1)
	}
}

func (l *listing) array(name string, raw json.RawMessage, depth int) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return
	}
	if scalars(all) {
		texts := make([]string, len(all))
		for i, v := range all {
			texts[i] = strings.Join(strings.Fields(plainValue(v)), " ")
		}
		if len(texts) > 0 {
			l.line(name, strings.Join(texts, ", "))
		}
		return
	}
	for i, v := range all {
		l.value(under(name, strconv.Itoa(i+1)), v, depth+1)
	}
}

func scalars(all []json.RawMessage) bool {
	return !slices.ContainsFunc(all, func(v json.RawMessage) bool { return v[0] == '{' || v[0] == '[' })
}

func under(name, field string) string {
	field = strings.Join(strings.Fields(field), " ")
	if name == "" {
		return field
	}
	return name + "." + field
}

// cut shortens text to so many bytes, never inside a code point.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(0, most-len("…"))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
