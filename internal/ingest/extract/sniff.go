package extract

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/text/charset"
)

// Sniff returns the kind of a file by its content; the name decides only between kinds of plain text, which look alike.
// It fails with an Error for an empty file and for everything that is not read.
func Sniff(name string, data []byte) (kind Kind, err error) {
	defer func() {
		if v := recover(); v != nil {
			kind, err = "", draft.NewDamagedError("it cannot be told what it is", fmt.Errorf("sniff: panic: %v", v))
		}
	}()
	trimmed := bytes.TrimLeft(data, "\ufeff \t\r\n\x00")
	if len(trimmed) == 0 {
		return "", draft.NewError("the file is empty")
	}
	switch {
	case bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")):
		return PDF, nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return sniffArchive(data)
	case bytes.HasPrefix(data, []byte(office.CompoundMagic)):
		return sniffCompound(data)
	}
	if format := foreignFormat(data); format != "" {
		return "", draft.NewError("the file is %s; %s", format, acceptedKinds)
	}
	return sniffText(strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/"))), data)
}

// foreignMagic holds how formats begin that are not read, so that the refusal can name them.
var foreignMagic = []struct{ prefix, format string }{
	{"\x89PNG", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"GIF8", "a picture"},
	{"II*\x00", "a picture"}, {"MM\x00*", "a picture"}, {"RIFF", "a sound, a film or a picture"},
	{"OggS", "a sound or a film"}, {"ID3", "a sound"}, {"fLaC", "a sound"}, {"\x1aE\xdf\xa3", "a film"},
	{"\x1f\x8b", "a compressed file (gzip)"}, {"7z\xbc\xaf\x27\x1c", "an archive (7z)"},
	{"Rar!", "an archive (RAR)"}, {"BZh", "a compressed file (bzip2)"}, {"\xfd7zXZ", "a compressed file (xz)"},
	{"\x28\xb5\x2f\xfd", "a compressed file (zstd)"}, {"\x7fELF", "a program"}, {"MZ\x90", "a program"},
	{"\xca\xfe\xba\xbe", "a program"}, {"\xcf\xfa\xed\xfe", "a program"}, {"{\\rtf", "an RTF file; save it as DOCX"},
	{"%!PS", "a PostScript file; save it as PDF"}, {"SQLite format 3", "a database"}, {"\x00asm", "a program"},
}

func foreignFormat(data []byte) string {
	for _, m := range foreignMagic {
		if bytes.HasPrefix(data, []byte(m.prefix)) {
			return m.format
		}
	}
	if len(data) > 12 && string(data[4:8]) == "ftyp" {
		return "a film or a picture"
	}
	return ""
}

func sniffArchive(data []byte) (Kind, error) {
	z, err := office.OpenZip(data)
	if err != nil {
		return "", err
	}
	names := map[string]bool{}
	for _, f := range z.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/"))
		names[name] = true
		switch name {
		case "mimetype":
			if kind, err := sniffMimetype(f); kind != "" || err != nil {
				return kind, err
			}
		case "[content_types].xml":
			if kind, err := sniffContentTypes(f); kind != "" || err != nil {
				return kind, err
			}
		}
	}
	for _, main := range []struct {
		part string
		kind Kind
	}{{"word/document.xml", DOCX}, {"xl/workbook.xml", XLSX}, {"ppt/presentation.xml", PPTX},
		{"meta-inf/container.xml", EPUB}} {
		if names[main.part] {
			return main.kind, nil
		}
	}
	return "", draft.NewError("the file is an archive (ZIP); upload the files in it one by one. %s", acceptedKinds)
}

func sniffMimetype(f *zip.File) (Kind, error) {
	text, _ := office.UnpackFile(f, 200)
	switch kind := strings.TrimSpace(string(text)); {
	case kind == "application/epub+zip":
		return EPUB, nil
	case strings.HasPrefix(kind, "application/vnd.oasis.opendocument.text"):
		return ODT, nil
	case strings.HasPrefix(kind, "application/vnd.oasis.opendocument."):
		return "", draft.NewError("the file is an OpenDocument file of another kind than ODT; %s", acceptedKinds)
	}
	return "", nil
}

// sniffContentTypes looks for the type of the main part, whatever it is called.
func sniffContentTypes(f *zip.File) (Kind, error) {
	text, _ := office.UnpackFile(f, 1<<20)
	for _, t := range []struct {
		mark string
		kind Kind
	}{{"wordprocessingml.document.main", DOCX}, {"ms-word.document.macroEnabled.main", DOCX},
		{"wordprocessingml.template.main", DOCX},
		{"spreadsheetml.sheet.main", XLSX}, {"ms-excel.sheet.macroEnabled.main", XLSX}, {"spreadsheetml.template.main", XLSX},
		{"presentationml.presentation.main", PPTX}, {"presentationml.slideshow.main", PPTX},
		{"presentationml.template.main", PPTX},
		{"ms-powerpoint.presentation.macroEnabled.main", PPTX}, {"sheet.binary.macroEnabled.main", ""}} {
		if bytes.Contains(text, []byte(t.mark)) {
			if t.kind == "" {
				return "", draft.NewError("the file is a binary workbook (XLSB); save it as XLSX")
			}
			return t.kind, nil
		}
	}
	return "", nil
}

func sniffCompound(data []byte) (Kind, error) {
	c, err := office.OpenCompound(data)
	if err != nil {
		return "", err
	}
	switch {
	case c.HasStream("WordDocument"):
		return DOC, nil
	case c.HasStream("EncryptedPackage"):
		return "", draft.ErrEncrypted
	case c.HasStream("Workbook"), c.HasStream("Book"):
		return "", draft.NewError("the file is an old Excel workbook (XLS); save it as XLSX")
	case c.HasStream("PowerPoint Document"):
		return "", draft.NewError("the file is an old PowerPoint presentation (PPT); save it as PPTX")
	}
	return "", draft.NewError("the file is an Office file of an unknown kind; %s", acceptedKinds)
}

// kindByExtension are kinds of plain text that only the name can tell apart.
var kindByExtension = map[string]Kind{".txt": TXT, ".text": TXT, ".md": MD, ".markdown": MD, ".mdx": MD, ".csv": CSV,
	".tsv": CSV, ".tab": CSV, ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".eml": EML, ".mht": EML,
	".mhtml": EML, ".srt": SRT, ".vtt": SRT,
	".rst": RST, ".tex": TEX}

// maxSniffBytes is how many bytes of a text tell its kind; a large one is not decoded for that.
const maxSniffBytes = 64 << 10

func sniffText(ext string, data []byte) (Kind, error) {
	text := charset.Decode(data[:min(len(data), maxSniffBytes)], "")
	head := strings.ToLower(strings.TrimLeft(text[:min(len(text), 4096)], "\ufeff \t\r\n"))
	named := kindByExtension[ext]
	switch {
	case isUnreadable(text):
		return "", draft.NewError("the file is neither text nor of a known format; %s", acceptedKinds)
	case strings.HasPrefix(head, "<!doctype html"), strings.HasPrefix(head, "<html"),
		strings.HasPrefix(head, "<?xml") && strings.Contains(head, "<html"):
		return HTML, nil
	case strings.HasPrefix(head, "<svg"), strings.HasPrefix(head, "<!doctype svg"), strings.HasPrefix(head, "<?xml") &&
		strings.Contains(head, "<svg"):
		return "", draft.NewError("the file is a picture (SVG); %s", acceptedKinds)
	case strings.HasPrefix(head, "<?xml") && named != TXT && named != MD:
		return "", draft.NewError("the file is XML; %s", acceptedKinds)
	case (strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[")) && isJSON(charset.Decode(data, "")):
		return JSON, nil
	case named != "":
		return named, nil
	case isMail(text):
		return EML, nil
	case strings.HasPrefix(head, "begin:vcard"):
		return VCF, nil
	case strings.HasPrefix(head, "begin:vcalendar"):
		return ICS, nil
	case strings.HasPrefix(http.DetectContentType([]byte(head)), "text/html"):
		return HTML, nil
	}
	return TXT, nil
}

// isUnreadable reports whether a text is mostly characters that no text holds.
func isUnreadable(text string) bool {
	odd, all := 0, 0
	for _, r := range text {
		all++
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b || r == 0x7f || r == utf8.RuneError {
			odd++
		}
	}
	return odd*20 > all
}

// isJSON reports whether a text is an object, an array, or one of them in each line; also what is like them but for
// being too deep to be read, which its reader says.
func isJSON(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	if json.Valid([]byte(text)) || isTooDeep(text) {
		return true
	}
	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid([]byte(line)) {
			return false
		}
		lines++
	}
	return lines > 1
}

// isTooDeep reports whether a text is JSON, even if cut off, whose values are deeper within one another than is read.
func isTooDeep(text string) bool {
	dec := json.NewDecoder(strings.NewReader(text))
	for depth := 0; ; {
		switch token, err := dec.Token(); {
		case err != nil, depth > draft.MaxDepth:
			return depth > draft.MaxDepth
		case token == json.Delim('{'), token == json.Delim('['):
			depth++
		case token == json.Delim('}'), token == json.Delim(']'):
			if depth--; depth == 0 {
				return false
			}
		}
	}
}
