package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// elements reads an XML file from its outside to its inside. Entities that the file defines itself are not replaced; depth and
// number of elements are bounded.
type elements struct {
	dec   *xml.Decoder
	depth int
	seen  int
}

func newElements(data []byte) *elements {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = decodedOnce()
	return &elements{dec: dec}
}

// decodedOnce decodes a file from the encoding that its first declaration names. A file has one; each further one would put a reader
// around all that were there before.
func decodedOnce() func(label string, input io.Reader) (io.Reader, error) {
	declared := false
	return func(label string, input io.Reader) (io.Reader, error) {
		if declared {
			return input, nil
		}
		declared = true
		return charset.NewReaderLabel(label, input)
	}
}

// next gives the next token; a file that breaks off ends there.
func (e *elements) next() (xml.Token, error) {
	t, err := e.dec.Token()
	if err != nil {
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) && e.seen > 0 {
			return nil, io.EOF
		}
		return nil, err
	}
	switch t.(type) {
	case xml.StartElement:
		e.depth++
		if e.seen++; e.seen > mostElements {
			return nil, refuse("the file holds more than %d elements", mostElements)
		}
		if e.depth > mostDepth {
			return nil, refuse("the file holds elements more than %d deep within one another", mostDepth)
		}
	case xml.EndElement:
		e.depth--
	}
	return t, nil
}

// children visits each element in the one that was entered last, or the outermost one at the beginning. visit may read its
// element by children or text; what it leaves is skipped.
func (e *elements) children(visit func(xml.StartElement) error) error {
	return e.content(visit, nil)
}

// content is children, with the text in between.
func (e *elements) content(visit func(xml.StartElement) error, text func(string)) error {
	outside := e.depth
	for {
		t, err := e.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := visit(t); err != nil {
				return err
			}
			if err := e.leave(outside); err != nil {
				return err
			}
		case xml.EndElement:
			if e.depth < outside {
				return nil
			}
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// leave skips to the end of the element that was visited.
func (e *elements) leave(outside int) error {
	for e.depth > outside {
		if _, err := e.next(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}

// text gives all text in the element that was entered last.
func (e *elements) text() (string, error) {
	var b strings.Builder
	var inner func(xml.StartElement) error
	inner = func(xml.StartElement) error { return e.content(inner, func(s string) { b.WriteString(s) }) }
	err := e.content(inner, func(s string) { b.WriteString(s) })
	return b.String(), err
}

func value(el xml.StartElement, name string) string {
	for _, a := range el.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relations reads which parts and addresses another part refers to, by id.
func (a *archive) relations(name string) (map[string]relation, error) {
	all := map[string]relation{}
	data, err := a.part(name)
	if err != nil {
		if errors.Is(err, errNoPart) {
			return all, nil
		}
		return nil, err
	}
	e := newElements(data)
	err = e.children(func(xml.StartElement) error {
		return e.children(func(el xml.StartElement) error {
			all[value(el, "Id")] = relation{target: value(el, "Target"), kind: value(el, "Type"), outside: value(el, "TargetMode") == "External"}
			return nil
		})
	})
	return all, err
}

type relation struct {
	target, kind string
	outside      bool
}
