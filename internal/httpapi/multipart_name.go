package httpapi

import (
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"
)

// baseName is the file's name without its folders, be they those of Windows. Clients write it in many ways: as RFC 5987 asks, in
// raw UTF-8, in Latin-1, percent-encoded, or as mail does.
func baseName(p *multipart.Part) string {
	name := p.FileName()
	if name == "" {
		name = extendedName(p.Header.Get("Content-Disposition"))
	}
	name = StripNUL(toUTF8(decodePercent(decodeMIMEWords(toUTF8(name))))) // what an encoded word holds may be anything
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// windows1252 are the characters that Windows-1252 has from 0x80 on, where Latin-1 has none to show.
var windows1252 = []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")

// toUTF8 takes for Latin-1, in the form that Windows gives it, what is not UTF-8.
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

// extendedName reads a filename* of another character set than UTF-8, which net/http leaves out.
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

// decodePercent decodes a name that is percent-encoded UTF-8, and a quotation mark as browsers write it. Other percent signs are the
// name's own.
func decodePercent(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil && isASCII(name) && !isASCII(decoded) && utf8.ValidString(decoded) {
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
