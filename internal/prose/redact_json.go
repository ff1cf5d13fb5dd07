package prose

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// RedactJSON masks personal data in the strings and keys of a JSON document, and numbers that are data of that kind. Order and
// layout stay as they are; a key like "phone" counts as a word before its value. Keys may be equal once they are masked. What is
// not JSON becomes a masked string.
func RedactJSON(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return raw
	case !json.Valid(raw):
		return encoded(Redact(string(raw)))
	}
	j := jsonReader{raw: raw}
	for j.at < len(raw) {
		j.step()
	}
	return j.out
}

// jsonReader copies a valid document and masks values on the way.
type jsonReader struct {
	raw, out []byte
	at       int
	key      string // the last one, as words
}

func (j *jsonReader) step() {
	switch c := j.raw[j.at]; {
	case c == '"':
		j.text()
	case c == '-' || '0' <= c && c <= '9':
		j.number()
	default:
		j.out = append(j.out, c)
		j.at++
	}
}

func (j *jsonReader) text() {
	end := j.at + 1
	for j.raw[end] != '"' {
		if j.raw[end] == '\\' {
			end++
		}
		end++
	}
	end++
	literal := j.raw[j.at:end]
	j.at = end
	var text string
	if json.Unmarshal(literal, &text) != nil {
		j.out = append(j.out, literal...)
		return
	}
	if rest := bytes.TrimLeft(j.raw[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
		masked := Redact(text)
		if j.key = spaced(unmasked.Replace(masked)); masked != text {
			literal = encoded(masked)
		}
	} else if masked := j.mask(text); masked != text {
		literal = encoded(masked)
	}
	j.out = append(j.out, literal...)
}

func (j *jsonReader) number() {
	end := j.at
	for end < len(j.raw) && strings.IndexByte("+-.eE0123456789", j.raw[end]) >= 0 {
		end++
	}
	literal := j.raw[j.at:end]
	j.at = end
	if masked := j.mask(string(literal)); masked != string(literal) {
		literal = encoded(masked)
	}
	j.out = append(j.out, literal...)
}

// mask redacts a value in the light of its key.
func (j *jsonReader) mask(text string) string {
	if !suspicious(text) {
		return text
	}
	before := j.key + ": "
	var found []Private
	for _, p := range RedactSpans(before + text) {
		if p.Start >= len(before) {
			found = append(found, Private{p.Start - len(before), p.End - len(before), p.Kind})
		}
	}
	return mask(text, found)
}

// unmasked leaves masks out of a key: they are no word about its value.
var unmasked = strings.NewReplacer("[email]", " ", "[phone]", " ", "[card]", " ", "[id]", " ")

// spaced writes a key as words: "phoneNumber" and "phone_number" are "phone Number". Digits are left out.
func spaced(key string) string {
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

// encoded writes a string as JSON.
func encoded(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string is always encoded
		return json.RawMessage(`""`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
