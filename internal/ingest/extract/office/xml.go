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
func (e *xmlReader) nextToken() (xml.Token, error) {
	t, err := e.dec.Token()
	if err != nil {
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) && e.elementCount > 0 {
			return nil, io.EOF
		}
		return nil, err
	}
	switch t.(type) {
	case xml.StartElement:
		e.depth++
		if e.elementCount++; e.elementCount > draft.MaxElements {
			return nil, draft.NewError("the file holds more than %d elements", draft.MaxElements)
		}
		if e.depth > draft.MaxDepth {
			return nil, draft.NewError("the file holds elements more than %d deep within one another", draft.MaxDepth)
		}
	case xml.EndElement:
		e.depth--
	}
	return t, nil
}

// eachChild visits each element in the one that was entered last, or the outermost one at the beginning. visit may read
// its element by eachChild or readText; the rest of it is skipped.
func (e *xmlReader) eachChild(visit func(xml.StartElement) error) error {
	return e.eachContent(visit, nil)
}

// eachContent is eachChild, with the text in between.
func (e *xmlReader) eachContent(visit func(xml.StartElement) error, text func(string)) error {
	outside := e.depth
	for {
		t, err := e.nextToken()
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
			if err := e.skipElement(outside); err != nil {
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

// skipElement skips to the end of the element that was visited.
func (e *xmlReader) skipElement(outside int) error {
	for e.depth > outside {
		if _, err := e.nextToken(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}

// readText returns all text in the element that was entered last.
func (e *xmlReader) readText() (string, error) {
	var b strings.Builder
	var inner func(xml.StartElement) error
	inner = func(xml.StartElement) error { return e.eachContent(inner, func(s string) { b.WriteString(s) }) }
	err := e.eachContent(inner, func(s string) { b.WriteString(s) })
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

// readRelations reads which parts and addresses another part refers to, by id.
func (a *archive) readRelations(name string) (map[string]relation, error) {
	all := map[string]relation{}
	data, err := a.unpackPart(name)
	if err != nil {
		if errors.Is(err, errNoPart) {
			return all, nil
		}
		return nil, err
	}
	e := newXMLReader(data)
	err = e.eachChild(func(xml.StartElement) error {
		return e.eachChild(func(el xml.StartElement) error {
			all[attributeValue(el, "Id")] = relation{target: attributeValue(el, "Target"),
				kind: attributeValue(el, "Type"), isExternal: attributeValue(el, "TargetMode") == "External"}
			return nil
		})
	})
	return all, err
}

type relation struct {
	target, kind string
	isExternal   bool
}
