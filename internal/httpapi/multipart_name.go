package httpapi

import (
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"

	"parley"
)

// baseName returns the file's name without folders, including those of Windows. Clients encode names in many ways:
// as RFC 5987 asks, in raw UTF-8, in Latin-1, percent-encoded, or as mail does.
func baseName(p *multipart.Part) string {
	name := p.FileName()
	if name == "" {
		name = extendedName(p.Header.Get("Content-Disposition"))
	}
	// what an encoded word holds may be anything
	name = parley.StorableText(toUTF8(decodePercent(decodeMIMEWords(toUTF8(name)))))
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// windows1252 holds the characters of Windows-1252 from 0x80 to 0x9F, where Latin-1 has control characters.
var windows1252 = []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")

// toUTF8 decodes a text that is not valid UTF-8 as Windows-1252.
func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 0x80 && c < 0xA0 {
			b.WriteRune(windows1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// extendedName decodes a filename* parameter of another character set than UTF-8, which mime/multipart ignores.
func extendedName(disposition string) string {
	_, value, _ := strings.Cut(disposition, "filename*=")
	value, _, _ = strings.Cut(value, ";")
	parts := strings.SplitN(strings.Trim(value, `" `), "'", 3)
	if len(parts) < 3 {
		return ""
	}
	name, err := url.PathUnescape(parts[2])
	if err != nil {
		return ""
	}
	return name
}

// decodePercent decodes a name that is percent-encoded UTF-8, and a quotation mark as browsers encode it. Other
// percent signs belong to the name.
func decodePercent(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil && isASCII(name) && !isASCII(decoded) &&
		utf8.ValidString(decoded) {
		return decoded
	}
	return strings.ReplaceAll(name, "%22", `"`)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decodeMIMEWords decodes the encoded words of RFC 2047.
func decodeMIMEWords(name string) string {
	if !strings.Contains(name, "=?") {
		return name
	}
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		return decoded
	}
	return name
}
