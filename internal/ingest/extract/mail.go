package extract

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"unicode"

	"parley"
	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/text/charset"
)

const (
	maxMailDepth  = 6 // of parts within one another
	maxMailParts  = 200
	maxMailHeader = 300 // bytes of a line above the text
)

// readMail reads a mail, or a page that a browser has saved as one (MHT): who wrote it and when, its text, and the
// files in it by their kinds. A file that cannot be read is named.
func readMail(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	m := mailReader{ctx: ctx}
	if err := m.readMessage(data, 0); err != nil {
		return draft.Document{}, err
	}
	return draft.Document{Title: m.title, Text: m.out.Text()}, nil
}

type mailReader struct {
	ctx   context.Context
	out   draft.Builder
	title string
	parts int
}

func (m *mailReader) readMessage(data []byte, depth int) error {
	if bytes.HasPrefix(data, []byte("From ")) { // of a file of many mails
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	message, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(data, "\ufeff\r\n")))
	if err != nil {
		return draft.NewDamagedError("it is not a readable mail", err)
	}
	body, err := io.ReadAll(message.Body)
	if err != nil {
		return draft.NewDamagedError("it is not a readable mail", err)
	}
	header := textproto.MIMEHeader(message.Header)
	subject := decodeHeader(header.Get("Subject"))
	if depth == 0 {
		m.title = subject
	}
	m.out.AddHeading(min(depth+1, 2), subject)
	if header.Get("To") != "" || header.Get("Date") != "" && !strings.HasPrefix(header.Get("From"), "<Saved by") {
		m.writeHeader(header)
	}
	return m.readPart(header, body, depth)
}

func (m *mailReader) writeHeader(header textproto.MIMEHeader) {
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := decodeHeader(header.Get(name)); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	m.out.AddParagraph(strings.Join(lines, "\n"))
}

// decodeHeader returns the text of a line of the header, which may be encoded in words.
func decodeHeader(value string) string {
	d := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		data, err := io.ReadAll(r)
		return strings.NewReader(charset.Decode(data, name)), err
	}}
	text, err := d.DecodeHeader(value)
	if err != nil {
		text = value
	}
	return parley.ClipBytes(draft.CollapseSpaces(charset.Decode([]byte(text), "")), maxMailHeader)
}

// readPart reads a part: a text, parts within it, or a file.
func (m *mailReader) readPart(header textproto.MIMEHeader, body []byte, depth int) error {
	if m.parts++; m.parts > maxMailParts || depth > maxMailDepth || m.out.IsFull() {
		return draft.NewError("the mail has too many parts")
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || kind == "" {
		kind = "text/plain"
	}
	name := fileName(header, parameters)
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		return m.readParts(kind, parameters["boundary"], body, depth)
	case kind == "message/rfc822":
		return m.readMessage(decodeBody(header, body), depth+1)
	case name != "", kind == "text/calendar", kind == "text/vcard",
		strings.HasPrefix(strings.ToLower(header.Get("Content-Disposition")), "attachment"):
		return m.readAttachment(name, decodeBody(header, body), depth)
	case kind == "text/html", kind == "application/xhtml+xml":
		return m.readPage(decodeBody(header, body), parameters["charset"])
	case strings.HasPrefix(kind, "text/") && kind != "text/css":
		m.out.AddBlock(draft.NormalizeText(charset.Decode(decodeBody(header, body), parameters["charset"])))
	}
	return nil
}

// fileName returns the name of an attached file; empty for a part of the mail itself.
func fileName(header textproto.MIMEHeader, parameters map[string]string) string {
	disposition, more, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err == nil && disposition == "inline" && strings.HasPrefix(header.Get("Content-Type"), "text/") {
		return ""
	}
	if name := more["filename"]; name != "" {
		return decodeHeader(name)
	}
	return decodeHeader(parameters["name"])
}

func decodeBody(header textproto.MIMEHeader, body []byte) []byte {
	switch strings.ToLower(strings.TrimSpace(header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		packed := bytes.Map(func(r rune) rune {
			if r == '=' || unicode.IsSpace(r) {
				return -1
			}
			return r
		}, body)
		data := make([]byte, base64.RawStdEncoding.DecodedLen(len(packed)))
		n, _ := base64.RawStdEncoding.Decode(data, packed) // of a part that breaks off, what came before
		return data[:n]
	case "quoted-printable":
		data, _ := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body)))
		return data
	}
	return body
}

// mailPart is a part that is not read yet.
type mailPart struct {
	header textproto.MIMEHeader
	body   []byte
}

// readParts reads the parts of a body: of alternatives the plain text, of a page and its pictures the page.
func (m *mailReader) readParts(kind, boundary string, body []byte, depth int) error {
	parts, err := splitParts(boundary, body)
	if err != nil {
		return err
	}
	switch kind {
	case "multipart/alternative":
		parts = chooseAlternative(parts)
	case "multipart/related":
		parts = parts[:min(len(parts), 1)]
	}
	for _, p := range parts {
		if err := m.readPart(p.header, p.body, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func splitParts(boundary string, body []byte) (parts []mailPart, err error) {
	r := multipart.NewReader(bytes.NewReader(body), boundary)
	for len(parts) < maxMailParts {
		p, err := r.NextRawPart()
		if err != nil && !errors.Is(err, io.EOF) && len(parts) == 0 {
			return nil, draft.NewDamagedError("a part of the mail cannot be read", err)
		}
		if p == nil {
			break
		}
		data, isWhole := readPart(p)
		parts = append(parts, mailPart{p.Header, data})
		if !isWhole {
			break
		}
	}
	return parts, nil
}

// readPart returns what there is of a part, and whether it does not break off.
func readPart(r io.Reader) (data []byte, isWhole bool) {
	data, err := io.ReadAll(r)
	return data, err == nil
}

// chooseAlternative returns the plain text if it says something, else the last part.
func chooseAlternative(parts []mailPart) []mailPart {
	for _, p := range parts {
		kind, _, _ := mime.ParseMediaType(p.header.Get("Content-Type"))
		if (kind == "" || kind == "text/plain") && draft.HasWords(string(decodeBody(p.header, p.body))) {
			return []mailPart{p}
		}
	}
	return parts[max(len(parts)-1, 0):]
}

func (m *mailReader) readPage(body []byte, declared string) error {
	if declared != "" {
		body = append([]byte("\ufeff"), charset.Decode(body, declared)...)
	}
	doc, err := draft.ReadDocument(m.ctx, html.Read, "mail.html", body)
	if err != nil && m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	m.out.AddBlock(doc.Text)
	return nil
}

func (m *mailReader) readAttachment(name string, data []byte, depth int) error {
	kind, err := Sniff(name, data)
	if err == nil && kind == EML {
		return m.readMessage(data, depth+1)
	}
	m.out.AddHeading(2, name)
	if err != nil { // a picture, an archive
		return nil //nolint:nilerr // the mail says something without it
	}
	doc, err := ReadFile(m.ctx, kind, name, data)
	if err != nil && m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	m.out.AddBlock(doc.Text)
	return nil
}

// mailHeaders are what the head of a mail holds.
var mailHeaders = map[string]bool{"from": true, "to": true, "subject": true, "date": true, "message-id": true,
	"mime-version": true, "received": true, "return-path": true, "content-type": true, "delivered-to": true}

// isMail reports whether a text begins with the head of a mail.
func isMail(text string) bool {
	known := 0
	for line := range strings.Lines(strings.TrimLeft(text, "\ufeff\r\n")) {
		name, _, found := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
			return known > 2
		case line[0] == ' ', line[0] == '\t', strings.HasPrefix(line, "From "):
		case !found || strings.ContainsAny(name, " \t"):
			return false
		case mailHeaders[strings.ToLower(name)]:
			known++
		}
	}
	return known > 2
}
