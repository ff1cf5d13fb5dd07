// Package charset decodes texts whose encoding is declared, marked or unknown.
package charset

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	encunicode "golang.org/x/text/encoding/unicode"
)

// Decode returns bytes as UTF-8: by their byte order mark, by being UTF-8, by the declared encoding, or by what reads
// best. What cannot be decoded becomes U+FFFD.
func Decode(data []byte, declared string) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return strings.ToValidUTF8(string(data[3:]), "\ufffd")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decodeWith(encunicode.UTF16(encunicode.LittleEndian, encunicode.UseBOM), data)
	}
	enc, err := htmlindex.Get(strings.TrimSpace(declared))
	if declared == "" || err != nil {
		enc = nil
	}
	switch {
	case enc == japanese.ISO2022JP && bytes.IndexByte(data, 0x1b) >= 0: // it is ASCII, and so UTF-8, to look at
		return decodeWith(enc, data)
	case detectUTF16(data) != nil: // it may well be UTF-8, too, with a NUL at every other place
		return decodeWith(detectUTF16(data), data)
	case isUTF8(data):
		return string(data)
	}
	if enc != nil && enc != encoding.Replacement && enc != encunicode.UTF8 {
		return decodeWith(enc, data)
	}
	return decodeWith(guessEncoding(data), data)
}

// Declared returns the encoding that a page's transport or its own head names.
func Declared(data []byte, contentType string) string {
	_, name, certain := charset.DetermineEncoding(data, contentType)
	if !certain {
		return ""
	}
	return name
}

func decodeWith(enc encoding.Encoding, data []byte) string {
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		out = data
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(out), "\ufeff"), "\ufffd")
}

// isUTF8 forgives a sequence that is cut off at the end.
func isUTF8(data []byte) bool {
	for range utf8.UTFMax - 1 {
		if utf8.Valid(data) {
			return true
		}
		if len(data) == 0 || data[len(data)-1] < 0x80 {
			return false
		}
		data = data[:len(data)-1]
	}
	return false
}

// detectUTF16 returns the encoding of UTF-16 without a mark, or nil for other text: Latin text in it has a NUL in every
// other byte.
func detectUTF16(data []byte) encoding.Encoding {
	head := data[:min(len(data)&^1, 4096)]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	switch {
	case len(head) < 8:
		return nil
	case zeros[1]*4 > len(head) && zeros[0]*20 < len(head):
		return encunicode.UTF16(encunicode.LittleEndian, encunicode.IgnoreBOM)
	case zeros[0]*4 > len(head) && zeros[1]*20 < len(head):
		return encunicode.UTF16(encunicode.BigEndian, encunicode.IgnoreBOM)
	}
	return nil
}

// FirstDeclared returns a CharsetReader for an xml.Decoder: it decodes a document from the encoding that its first
// declaration names. Further declarations are ignored, since each would put a reader around all those before it.
func FirstDeclared() func(label string, input io.Reader) (io.Reader, error) {
	declared := false
	return func(label string, input io.Reader) (io.Reader, error) {
		if declared {
			return input, nil
		}
		declared = true
		return charset.NewReaderLabel(label, input)
	}
}
