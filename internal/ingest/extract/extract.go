// Package extract turns files and pages into text. The text is UTF-8 without NUL, laid out like Markdown: headings with #, lists,
// tables that repeat their header, paragraphs apart by a blank line, so that it can be cut where it belongs together.
//
// What strangers upload is read by children of this program that can do nothing but compute (Pool, Serve): a parser that is
// led astray costs one file, not the server. Every file ends as text or as an Error with a reason for the operator.
package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Document is what a file says.
type Document struct {
	Title string `json:"title,omitempty"` // as the file itself gives it; may be empty
	Text  string `json:"-"`
	Pages int    `json:"pages,omitempty"` // pages, slides, sheets or chapters; 0 where the format has none
}

// Error says why a file cannot be read, in words for its operator.
type Error struct {
	Reason string
	Err    error // for the log; may be nil
}

func (e *Error) Error() string { return e.Reason }

func (e *Error) Unwrap() error { return e.Err }

func newError(format string, args ...any) *Error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// newDamagedError is the refusal of a file that is not what its format asks for.
func newDamagedError(what string, err error) *Error {
	return &Error{Reason: "the file is damaged: " + what, Err: err}
}

var (
	errEncrypted = newError("the file is protected by a password; upload it without one")
	errEmpty     = newError("the file holds no text")
	errSigns     = newError("the file holds no words, only signs")
	errScanned   = newError("the file holds no text; it may be a scan, which would need text recognition")
)

// ReadFile reads a file of the kind that Sniff has told, in this process; what strangers have uploaded is read through a Pool. Every
// failure is an Error, or the context's.
func ReadFile(ctx context.Context, kind Kind, name string, data []byte) (doc Document, err error) {
	defer func() {
		if v := recover(); v != nil {
			doc, err = Document{}, newDamagedError("its reader has given up", fmt.Errorf("%s: panic: %v", kind, v))
		}
	}()
	read, known := readers[kind]
	switch {
	case !known:
		return Document{}, newError("files of the kind %q cannot be read", kind)
	case len(data) > maxFileBytes:
		return Document{}, newError("the file is larger than %d MB", maxFileBytes>>20)
	}
	if doc, err = read(ctx, name, data); err != nil {
		return Document{}, toError(err)
	}
	doc.Title, doc.Text = shortLine(doc.Title), normalizeText(doc.Text)
	switch {
	case len(doc.Text) > maxTextBytes:
		return Document{}, errTooMuchText
	case !hasWords(doc.Text) && kind == PDF:
		return Document{}, errScanned
	case doc.Text == "":
		return Document{}, errEmpty
	case !hasWords(doc.Text):
		return Document{}, errSigns
	}
	return doc, nil
}

// hasWords reports a text that somebody can ask about: brackets and dashes alone are none.
func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r) })
}

var readers = map[Kind]func(ctx context.Context, name string, data []byte) (Document, error){
	PDF: readPDF, DOCX: readDOCX, DOC: readDOC, TXT: readText, MD: readText, HTML: readHTML, CSV: readCSV, XLSX: readXLSX, PPTX: readPPTX,
	ODT: readODT, EPUB: readEPUB, JSON: readJSON,
}

func toError(err error) error {
	var known *Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return newDamagedError(err.Error(), err)
}
