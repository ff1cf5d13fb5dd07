package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// JSON masks personal data in the strings and keys of a JSON document, and numbers that are data of that kind. Order
// and layout stay as they are; a key like "phone" counts as a word before its value. Keys may be equal once they are
// masked. What is not JSON becomes a masked string.
func JSON(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return raw
	case !json.Valid(raw):
		return encodeJSON(Text(string(raw)))
	}
	j := jsonRedactor{raw: raw}
	for j.pos < len(raw) {
		j.copyNext()
	}
	return j.out
}

// jsonRedactor copies a valid document and masks values on the way.
type jsonRedactor struct {
	raw, out []byte
	pos      int
	key      string // the last one, as words
}

func (j *jsonRedactor) copyNext() {
	switch c := j.raw[j.pos]; {
	case c == '"':
		j.copyText()
	case c == '-' || '0' <= c && c <= '9':
		j.copyNumber()
	default:
		j.out = append(j.out, c)
		j.pos++
	}
}

func (j *jsonRedactor) copyText() {
	end := j.pos + 1
	for j.raw[end] != '"' {
		if j.raw[end] == '\\' {
			end++
		}
		end++
	}
	end++
	literal := j.raw[j.pos:end]
	j.pos = end
	var text string
	if json.Unmarshal(literal, &text) != nil {
		j.out = append(j.out, literal...)
		return
	}
	if rest := bytes.TrimLeft(j.raw[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
		masked := Text(text)
		if j.key = splitKeyWords(maskRemover.Replace(masked)); masked != text {
			literal = encodeJSON(masked)
		}
	} else if masked := j.maskValue(text); masked != text {
		literal = encodeJSON(masked)
	}
	j.out = append(j.out, literal...)
}

func (j *jsonRedactor) copyNumber() {
	end := j.pos
	for end < len(j.raw) && strings.IndexByte("+-.eE0123456789", j.raw[end]) >= 0 {
		end++
	}
	literal := j.raw[j.pos:end]
	j.pos = end
	if masked := j.maskValue(string(literal)); masked != string(literal) {
		literal = encodeJSON(masked)
	}
	j.out = append(j.out, literal...)
}

// maskValue redacts a value in the light of its key.
func (j *jsonRedactor) maskValue(text string) string {
	if !mayHoldPrivateData(text) {
		return text
	}
	before := j.key + ": "
	var found []Span
	for _, p := range Spans(before + text) {
		if p.Start >= len(before) {
			found = append(found, Span{p.Start - len(before), p.End - len(before), p.Kind})
		}
	}
	return maskSpans(text, found)
}

// maskRemover leaves masks out of a key: they are no word about its value.
var maskRemover = strings.NewReplacer("[email]", " ", "[phone]", " ", "[card]", " ", "[id]", " ")

// splitKeyWords writes a key as words: "phoneNumber" and "phone_number" are "phone Number". Digits are left out.
func splitKeyWords(key string) string {
	var b strings.Builder
	lower := false
	for _, r := range key {
		if !unicode.IsLetter(r) {
			r = ' '
		}
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

func encodeJSON(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string is always encoded
		return json.RawMessage(`""`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
