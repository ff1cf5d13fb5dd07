package office

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// xmlReader reads an XML file from its outside to its inside. Entities that the file defines itself are not replaced;
// depth and number of elements are bounded.
type xmlReader struct {
	dec          *xml.Decoder
	depth        int
	elementCount int
}

func newXMLReader(data []byte) *xmlReader {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = charset.FirstDeclared()
	return &xmlReader{dec: dec}
}

// nextToken returns the next token; a file that breaks off ends there.
func (x *xmlReader) nextToken() (xml.Token, error) {
	t, err := x.dec.Token()
	if err != nil {
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) && x.elementCount > 0 {
			return nil, io.EOF
		}
		return nil, err
	}
	switch t.(type) {
	case xml.StartElement:
		x.depth++
		if x.elementCount++; x.elementCount > draft.MaxElements {
			return nil, draft.NewError("the file holds more than %d elements", draft.MaxElements)
		}
		if x.depth > draft.MaxDepth {
			return nil, draft.NewError("the file holds elements more than %d deep within one another", draft.MaxDepth)
		}
	case xml.EndElement:
		x.depth--
	}
	return t, nil
}

// eachChild visits each element in the one that was entered last, or the outermost one at the beginning. visit may read
// its element by eachChild or readText; the rest of it is skipped.
func (x *xmlReader) eachChild(visit func(xml.StartElement) error) error {
	return x.eachContent(visit, nil)
}

// eachDescendant visits each element in the one that was entered last, at any depth. What is in an element that visit
// reads itself is not visited.
func (x *xmlReader) eachDescendant(visit func(xml.StartElement) error) error {
	return x.eachChild(func(el xml.StartElement) error {
		inside := x.depth
		if err := visit(el); err != nil || x.depth < inside {
			return err
		}
		return x.eachDescendant(visit)
	})
}

// eachInRoot visits each element in the outermost one.
func (x *xmlReader) eachInRoot(visit func(xml.StartElement) error) error {
	return x.eachChild(func(xml.StartElement) error { return x.eachChild(visit) })
}

// eachContent is eachChild, with the text in between.
func (x *xmlReader) eachContent(visit func(xml.StartElement) error, text func(string)) error {
	outside := x.depth
	for {
		t, err := x.nextToken()
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
			if err := x.skipElement(outside); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		case xml.EndElement:
			if x.depth < outside {
				return nil
			}
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// skipElement skips to the end of the element that was visited.
func (x *xmlReader) skipElement(outside int) error {
	for x.depth > outside {
		if _, err := x.nextToken(); err != nil {
			return err
		}
	}
	return nil
}

// readText returns all text in the element that was entered last.
func (x *xmlReader) readText() (string, error) {
	var b strings.Builder
	write := func(s string) { b.WriteString(s) }
	var inner func(xml.StartElement) error
	inner = func(xml.StartElement) error { return x.eachContent(inner, write) }
	err := x.eachContent(inner, write)
	return b.String(), err
}

func attributeValue(el xml.StartElement, name string) string {
	for _, a := range el.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
