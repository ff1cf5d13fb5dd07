// Package office reads office documents: DOCX, XLSX, PPTX, ODT, EPUB, and Word files of 1997 to 2003.
package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"parley/internal/ingest/extract/draft"
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
	a := &archive{parts: map[string]*zip.File{}, remainingBytes: draft.MaxUnpackedBytes}
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

// unpackPart unpacks one part. Fails with errNoPart where there is none of the name.
func (a *archive) unpackPart(name string) ([]byte, error) {
	f := a.parts[normalizePartName(name)]
	if f == nil {
		return nil, fmt.Errorf("%w: %s", errNoPart, name)
	}
	data, err := UnpackFile(f, min(a.remainingBytes, draft.MaxPartBytes))
	a.remainingBytes -= int64(len(data))
	return data, err
}

// once is unpackPart for a part that is read one time, however often the file names it: later there is none.
func (a *archive) once(name string) ([]byte, error) {
	if a.read[normalizePartName(name)] {
		return nil, fmt.Errorf("%w: %s is read already", errNoPart, name)
	}
	if a.read == nil {
		a.read = map[string]bool{}
	}
	a.read[normalizePartName(name)] = true
	return a.unpackPart(name)
}

// UnpackFile unpacks at most so many bytes. What packs too well is refused, for it was made to.
func UnpackFile(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, draft.NewDamagedError("a part of it is packed in an unknown way", err)
	}
	defer func() { _ = r.Close() }()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	switch {
	case n > most:
		return nil, draft.NewError("the archive unpacks to more than %d MB", most>>20)
	case n > draft.MinRatioBytes && n/draft.MaxUnpackRatio > int64(f.CompressedSize64):
		return nil, draft.NewError("the archive unpacks to more than %d times its size", draft.MaxUnpackRatio)
	case err != nil && n == 0:
		return nil, draft.NewDamagedError("a part of it cannot be unpacked", err)
	}
	return b.Bytes(), nil // of a part that breaks off, what came before
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
