// Package pdf reads PDF files: words by where their glyphs are, in the order in which they are read.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"parley/internal/ingest/extract/draft"
)

// Read reads a PDF in two ways and returns the plausible text: words rebuilt from where the glyphs are, and the
// strings of the file as they come, which is what is left where fonts tell no widths.
func Read(ctx context.Context, _ string, data []byte) (draft.Document, error) {
	r, err := openFile(data)
	if err != nil {
		return draft.Document{}, err
	}
	pages := listPages(r)
	if len(pages) == 0 {
		return draft.Document{}, draft.NewDamagedError("it has no pages", nil)
	}
	l := layout{fonts: map[string]*font{}}
	var failed error
	for _, p := range pages {
		if err := ctx.Err(); err != nil {
			return draft.Document{}, err
		}
		if err := l.addPage(p); err != nil {
			failed = err
		}
	}
	doc := draft.Document{Title: documentTitle(r), Text: l.text(), Pages: len(pages)}
	if score := plausibility(doc.Text); score < 0.6 {
		if plain := readPlainStrings(ctx, pages); plausibility(plain) > score {
			doc.Text = plain
		}
	}
	if strings.TrimSpace(doc.Text) == "" && failed != nil {
		return draft.Document{}, draft.NewDamagedError("its pages cannot be read", failed)
	}
	if !draft.HasWords(doc.Text) {
		return draft.Document{}, errScanned
	}
	return doc, nil
}

var errScanned = draft.NewError("the file holds no text; it may be a scan, which would need text recognition")

// openFile opens the file as it is, or else as it can be put together from the objects that are found in it.
func openFile(data []byte) (*pdf.Reader, error) {
	if bytes.Contains(data, []byte("/Encrypt")) {
		if whole := decryptFile(data); whole != nil {
			data = whole
		}
	}
	r, err := openReader(data)
	switch {
	case err == nil && !bytes.Contains(data, []byte("/ObjStm")) && len(listPages(r)) > 0:
		return r, nil
	case errors.Is(err, pdf.ErrInvalidPassword), err != nil && strings.Contains(err.Error(), "encryption"):
		return nil, draft.ErrEncrypted
	}
	whole, locked := rebuildFile(data)
	if locked {
		if err != nil {
			return nil, draft.ErrEncrypted
		}
		return r, nil
	}
	if again, failed := openReader(whole); failed == nil && (err != nil || len(listPages(again)) >= len(listPages(r))) {
		return again, nil //nolint:nilerr // what could not be opened has been repaired
	}
	if err != nil {
		return nil, draft.NewDamagedError("it is not a readable PDF", err)
	}
	return r, nil
}

func openReader(data []byte) (r *pdf.Reader, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	if len(data) < 100 { // its reader looks that far back from the end
		return nil, io.ErrUnexpectedEOF
	}
	return pdf.NewReader(bytes.NewReader(data), int64(len(data)))
}

type page struct {
	value     pdf.Value
	resources pdf.Value
}

// listPages walks the tree of pages. A tree that leads in circles ends at the bounds.
func listPages(r *pdf.Reader) (pages []page) {
	defer func() { _ = recover() }() // of a broken tree, the pages before
	visits := 0
	var walk func(n, resources pdf.Value, depth int)
	walk = func(n, resources pdf.Value, depth int) {
		if visits++; depth > 40 || visits > 4*draft.MaxPages || len(pages) >= draft.MaxPages {
			return
		}
		if own := n.Key("Resources"); own.Kind() == pdf.Dict {
			resources = own
		}
		kids := n.Key("Kids")
		if kids.Kind() != pdf.Array {
			if n.Key("Type").Name() == "Page" || n.Key("Contents").Kind() != pdf.Null {
				pages = append(pages, page{n, resources})
			}
			return
		}
		for i := range kids.Len() {
			ignorePanic(func() { walk(kids.Index(i), resources, depth+1) })
		}
	}
	walk(r.Trailer().Key("Root").Key("Pages"), pdf.Value{}, 0)
	return pages
}

// ignorePanic calls step and recovers from its panics, so that a branch that cannot be read does not end the others.
func ignorePanic(step func()) {
	defer func() { _ = recover() }()
	step()
}

func documentTitle(r *pdf.Reader) (title string) {
	defer func() { _ = recover() }()
	title = r.Trailer().Key("Info").Key("Title").Text()
	if strings.HasSuffix(strings.ToLower(title), ".doc") || strings.HasSuffix(strings.ToLower(title), ".docx") ||
		strings.HasPrefix(title, "Microsoft Word - ") {
		return "" // the name of the file it was made from
	}
	return title
}

func readPlainStrings(ctx context.Context, pages []page) string {
	var d draft.Builder
	for _, p := range pages {
		if ctx.Err() != nil || d.IsFull() {
			break
		}
		if p.value.Key("Resources").Kind() != pdf.Dict { // its reader would look for them upwards without end
			continue
		}
		if text, err := (pdf.Page{V: p.value}).GetPlainText(nil); err == nil {
			d.AddParagraph(text)
		}
	}
	return d.Text()
}

// plausibility returns how much a string looks like text, from 0 to 1: words have a usual length, and letters are most
// of it.
func plausibility(text string) float64 {
	letters, odd, words, dense, all := 0, 0, 0, 0, 0
	inWord := false
	for _, r := range text {
		all++
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.Co, r), r < ' ' && draft.PrintableRuneOrMark(r) < 0:
			odd++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			dense++
		case unicode.IsLetter(r):
			letters++
		}
		if isWord := unicode.IsLetter(r) || inWord && unicode.IsDigit(r); isWord != inWord { // a number alone is none
			if inWord = isWord; isWord {
				words++
			}
		}
	}
	if all == 0 {
		return 0
	}
	score := 1 - min(1, 4*float64(odd)/float64(all))
	if words == 0 || letters < dense {
		return score
	}
	switch length := float64(letters) / float64(words); {
	case length > 10:
		score *= max(0, 1-(length-10)/8)
	case length < 2.5:
		score *= max(0.1, length/2.5-0.2)
	}
	return score
}
