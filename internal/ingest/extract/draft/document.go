// Package draft holds what all readers of documents share: what they return, how they write text, and what a file may
// cost.
package draft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Document is the text of a file.
type Document struct {
	Title string `json:"title,omitempty"` // the file's own; may be empty
	Text  string `json:"-"`
	Pages int    `json:"pages,omitempty"` // pages, slides, sheets or chapters; 0 if the format has none
}

// Reader reads the files of one format. Its text may be in any form; ReadDocument normalizes it.
type Reader func(ctx context.Context, name string, data []byte) (Document, error)

// ReadDocument calls a reader, recovers from its panics, and checks and normalizes the text that it returns. Every
// failure is an Error, or the context's.
func ReadDocument(ctx context.Context, read Reader, name string, data []byte) (doc Document, err error) {
	defer func() {
		if v := recover(); v != nil {
			doc, err = Document{}, NewDamagedError("its reader has given up", fmt.Errorf("panic: %v", v))
		}
	}()
	if len(data) > MaxFileBytes {
		return Document{}, NewError("the file is larger than %d MB", MaxFileBytes>>20)
	}
	if doc, err = read(ctx, name, data); err != nil {
		return Document{}, ToError(err)
	}
	doc.Title, doc.Text = ShortLine(doc.Title), NormalizeText(doc.Text)
	switch {
	case len(doc.Text) > MaxTextBytes:
		return Document{}, ErrTooMuchText
	case doc.Text == "":
		return Document{}, errEmpty
	case !HasWords(doc.Text):
		return Document{}, errSigns
	}
	return doc, nil
}

// HasWords reports whether somebody can ask about a text: brackets and dashes alone are no words.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
	})
}

// Error says why a file cannot be read, in words for its operator.
type Error struct {
	Reason string
	Err    error // for the log; may be nil
}

func (e *Error) Error() string { return e.Reason }

func (e *Error) Unwrap() error { return e.Err }

func NewError(format string, args ...any) *Error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// NewDamagedError returns the error of a file that breaks the rules of its format.
func NewDamagedError(part string, err error) *Error {
	return &Error{Reason: "the file is damaged: " + part, Err: err}
}

// ToError returns the error itself if it is an Error or the context's, and otherwise that of a damaged file.
func ToError(err error) error {
	var known *Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return NewDamagedError(err.Error(), err)
}

// Errors that several readers return.
var (
	ErrEncrypted   = NewError("the file is protected by a password; upload it without one")
	ErrTooMuchText = NewError("the file holds more than %d MB of text", MaxTextBytes>>20)
	errEmpty       = NewError("the file holds no text")
	errSigns       = NewError("the file holds no words, only signs")
)

// What a file may cost. A file beyond a bound is refused with a reason that names it.
const (
	MaxFileBytes     = 64 << 20  // of a file; the upload has a smaller bound of its own
	MaxTextBytes     = 32 << 20  // bytes of text
	MaxArchiveFiles  = 10_000    // files in an archive
	MaxUnpackedBytes = 192 << 20 // bytes an archive may unpack to, in all
	MaxPartBytes     = 96 << 20  // bytes of one file in it
	MaxUnpackRatio   = 400       // unpacked to packed, of a part larger than MinRatioBytes
	MinRatioBytes    = 4 << 20
	MaxDepth         = 400       // elements or values within one another
	MaxElements      = 8_000_000 // of one XML file
	MaxPages         = 5_000     // of a PDF
	MaxGlyphs        = 2_000_000 // of one of its pages
	MaxCells         = 5_000_000 // of a workbook or a table
	MaxColumns       = 2_000
)
