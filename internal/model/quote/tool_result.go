package quote

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
)

const (
	maxReportLines = 20   // of one result
	maxReportBytes = 2000 // of one result's list
	maxReportDepth = 6
	maxReasonBytes = 500
)

// reportToolResults returns what the tools at the end of the conversation returned, a paragraph each.
func reportToolResults(req model.Request) string {
	d := textsIn(surestLanguage(append(agentTexts(req), userTexts(req.Messages)...)))
	var parts []string
	for _, m := range slices.Backward(req.Messages) {
		if m.Role != "tool" {
			break
		}
		parts = append(parts, describeResult(d, m.Text))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

// toolResult is what a tool gave back (docs/interface/conversations.md#tool-output).
type toolResult struct {
	Status string          `json:"status"`
	Data   json.RawMessage `json:"data"`
	Error  string          `json:"error"`
}

func describeResult(t *language.Texts, text string) string {
	var r toolResult
	switch err := json.Unmarshal([]byte(text), &r); {
	case r.Status == "error":
		return describeFailure(t, r.Error)
	case err != nil || r.Status != "success" && r.Status != "ignored" && r.Status != "pending":
		return describeData(t, []byte(text))
	case r.Status != "success":
		return t.ResultMissing
	}
	return describeData(t, r.Data)
}

func describeFailure(t *language.Texts, reason string) string {
	reason = strings.Join(strings.Fields(reason), " ")
	if reason = truncateWithEllipsis(reason, maxReasonBytes); reason == "" {
		return t.CallFailed + "."
	}
	if !strings.HasSuffix(reason, ".") && !strings.HasSuffix(reason, "!") && !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return t.CallFailed + ": " + reason
}

// describeData says a message as it is, and lists anything else.
func describeData(t *language.Texts, raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "" {
		return text
	}
	var parsed struct {
		Message any `json:"message"`
	}
	if json.Unmarshal(raw, &parsed) == nil {
		if text, ok := parsed.Message.(string); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	var l resultListing
	if len(raw) > 0 && !json.Valid(raw) {
		return truncateWithEllipsis(strings.TrimSpace(string(raw)), maxReportBytes)
	}
	l.addValue("", raw, 0)
	if len(l.lines) == 0 {
		return t.ResultEmpty
	}
	return strings.Join(l.lines, "\n")
}

// resultListing is the scalar fields of a JSON document in their order, within bounds.
type resultListing struct {
	lines       []string
	size        int
	isTruncated bool
}

func (l *resultListing) addValue(name string, raw json.RawMessage, depth int) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || l.isTruncated || depth > maxReportDepth {
		return
	}
	switch raw[0] {
	case '{':
		l.addObject(name, raw, depth)
	case '[':
		l.addArray(name, raw, depth)
	default:
		if text := strings.Join(strings.Fields(parley.JSONText(raw)), " "); text != "" && string(raw) != "null" {
			l.addLine(name, text)
		}
	}
}

func (l *resultListing) addLine(name, text string) {
	if name != "" {
		text = name + ": " + text
	}
	remainingBytes := maxReportBytes - l.size - len("\n…")
	switch {
	case len(l.lines) == maxReportLines:
		l.lines[maxReportLines-1], l.isTruncated = "…", true
		return
	case len(text) > remainingBytes && len(l.lines) > 0:
		text, l.isTruncated = "…", true
	}
	l.lines = append(l.lines, truncateWithEllipsis(text, remainingBytes+len("…")))
	l.size += len(text) + 1
}

func (l *resultListing) addObject(name string, raw json.RawMessage, depth int) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return
	}
	for dec.More() && !l.isTruncated {
		key, err := dec.Token()
		var field json.RawMessage
		if err != nil || dec.Decode(&field) != nil {
			return
		}
		text, _ := key.(string)
		l.addValue(joinFieldName(name, text), field, depth+1)
	}
}

func (l *resultListing) addArray(name string, raw json.RawMessage, depth int) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return
	}
	if allScalars(all) {
		texts := make([]string, len(all))
		for i, v := range all {
			texts[i] = strings.Join(strings.Fields(parley.JSONText(v)), " ")
		}
		if len(texts) > 0 {
			l.addLine(name, strings.Join(texts, ", "))
		}
		return
	}
	for i, v := range all {
		l.addValue(joinFieldName(name, strconv.Itoa(i+1)), v, depth+1)
	}
}

func allScalars(all []json.RawMessage) bool {
	return !slices.ContainsFunc(all, func(v json.RawMessage) bool { return v[0] == '{' || v[0] == '[' })
}

func joinFieldName(name, field string) string {
	field = strings.Join(strings.Fields(field), " ")
	if name == "" {
		return field
	}
	return name + "." + field
}

// truncateWithEllipsis shortens text to so many bytes, never inside a code point.
func truncateWithEllipsis(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return parley.ClipBytes(text, max(0, limit-len("…"))) + "…"
}
