// Package office reads office documents: DOCX, XLSX, PPTX, ODT, EPUB, and Word files of 1997 to 2003.
package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/internal/ingest/extract/draft"
	"parley/internal/text/charset"
)

// archive is a file of packed parts. Its parts are read by name, never unpacked to disk, and together they may not
// unpack to more than the bounds allow, whatever its list of contents claims.
type archive struct {
	parts          map[string]*zip.File
	remainingBytes int64
	read           map[string]bool // by once
	repeats        draft.RepeatBudget
}

// OpenZip counts the entries before the list of contents is read into memory.
func OpenZip(data []byte) (*zip.Reader, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > draft.MaxArchiveFiles {
		return nil, draft.NewError("the archive holds more than %d files", draft.MaxArchiveFiles)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, draft.NewDamagedError("its archive has no readable list of contents", err)
	}
	return z, nil
}

func openArchive(data []byte) (*archive, error) {
	z, err := OpenZip(data)
	if err != nil {
		return nil, err
	}
	a := &archive{parts: map[string]*zip.File{}, read: map[string]bool{}, remainingBytes: draft.MaxUnpackedBytes}
	for _, f := range z.File {
		name := normalizePartName(f.Name)
		if _, twice := a.parts[name]; !twice {
			a.parts[name] = f
		}
		if f.Flags&1 != 0 {
			return nil, draft.ErrEncrypted
		}
	}
	return a, nil
}

// normalizePartName makes names comparable: parts are named without regard to case, and some writers use backslashes.
func normalizePartName(name string) string {
	return strings.TrimPrefix(strings.ToLower(path.Clean("/"+strings.ReplaceAll(name, `\`, "/"))), "/")
}

var errNoPart = errors.New("a part is missing")

// unpackPart unpacks one part. Fails with errNoPart if there is none of the name.
func (a *archive) unpackPart(name string) ([]byte, error) {
	f := a.parts[normalizePartName(name)]
	if f == nil {
		return nil, fmt.Errorf("%w: %s", errNoPart, name)
	}
	data, err := UnpackFile(f, min(a.remainingBytes, draft.MaxPartBytes))
	a.remainingBytes -= int64(len(data))
	return data, err
}

// openXML unpacks a part to be read as XML.
func (a *archive) openXML(name string) (*xmlReader, error) {
	data, err := a.unpackPart(name)
	if err != nil {
		return nil, err
	}
	return newXMLReader(data), nil
}

// once is unpackPart for a part that is read one time, however often the file names it: later there is none.
func (a *archive) once(name string) ([]byte, error) {
	if a.read[normalizePartName(name)] {
		return nil, fmt.Errorf("%w: %s is read already", errNoPart, name)
	}
	a.read[normalizePartName(name)] = true
	return a.unpackPart(name)
}

// UnpackFile unpacks at most so many bytes. What packs too well is refused, for it was made to.
func UnpackFile(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, draft.NewDamagedError("a part of it is packed in an unknown way", err)
	}
	defer func() { _ = r.Close() }()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	switch {
	case n > limit:
		return nil, draft.NewError("the archive unpacks to more than %d MB", limit>>20)
	case n > draft.MinRatioBytes && n/draft.MaxUnpackRatio > int64(f.CompressedSize64):
		return nil, draft.NewError("the archive unpacks to more than %d times its size", draft.MaxUnpackRatio)
	case err != nil && n == 0:
		return nil, draft.NewDamagedError("a part of it cannot be unpacked", err)
	}
	return b.Bytes(), nil // of a part that breaks off, what came before
}

type relation struct {
	target, kind string
	isExternal   bool
}

// readRelations reads which parts and addresses a part refers to, by id. The archive's own are those of "".
func (a *archive) readRelations(part string) (map[string]relation, error) {
	all := map[string]relation{}
	folder, name := path.Split(part)
	x, err := a.openXML(folder + "_rels/" + name + ".rels")
	if errors.Is(err, errNoPart) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	err = x.eachInRoot(func(el xml.StartElement) error {
		all[attributeValue(el, "Id")] = relation{target: attributeValue(el, "Target"),
			kind: attributeValue(el, "Type"), isExternal: attributeValue(el, "TargetMode") == "External"}
		return nil
	})
	return all, err
}

// relatedParts returns the parts of a kind that a part refers to, in the order of their ids.
func (a *archive) relatedParts(part, kind string) (names []string, err error) {
	all, err := a.readRelations(part)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if r := all[id]; !r.isExternal && path.Base(r.kind) == kind {
			names = append(names, resolveTarget(part, r.target))
		}
	}
	return names, err
}

// eachReference visits each element of a name in a part, with the part that it refers to.
func (a *archive) eachReference(part, name string, visit func(el xml.StartElement, to string)) error {
	x, err := a.openXML(part)
	if err != nil {
		return err
	}
	links, err := a.readRelations(part)
	if err != nil {
		return err
	}
	return x.eachDescendant(func(el xml.StartElement) error {
		for _, at := range el.Attr {
			r, known := links[at.Value]
			if el.Name.Local == name && known && at.Name.Local == "id" && at.Name.Space != "" {
				visit(el, resolveTarget(part, r.target))
			}
		}
		return nil
	})
}

func resolveTarget(from, target string) string {
	if strings.HasPrefix(target, "/") {
		return normalizePartName(target)
	}
	return normalizePartName(path.Join(path.Dir(from), target))
}

func (a *archive) mainPartName(standard string) (string, error) {
	names, err := a.relatedParts("", "officeDocument")
	for _, name := range names {
		if a.parts[name] != nil {
			return name, err
		}
	}
	return standard, err
}

// readTitle returns the title that the author has set, which is in a part that need not be there.
func (a *archive) readTitle(part string) (title string, err error) {
	x, err := a.openXML(part)
	if err != nil {
		return "", nil //nolint:nilerr // as said
	}
	err = x.eachDescendant(func(el xml.StartElement) (err error) {
		if el.Name.Local == "title" {
			title, err = x.readText()
		}
		return err
	})
	return title, err
}

// checkXML unpacks every part below a folder once, for a reader that does not bound them itself: what unpacks to too
// much, or defines entities, is refused before it is read.
func (a *archive) checkXML(folder string) error {
	for name := range a.parts {
		if !strings.HasPrefix(name, folder) || path.Ext(name) != ".xml" {
			continue
		}
		data, err := a.unpackPart(name)
		if err != nil {
			return err
		}
		if bytes.Contains(data[:min(len(data), 64<<10)], []byte("<!ENTITY")) {
			return draft.NewError("the file defines entities of its own, which is not read")
		}
	}
	return nil
}

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
