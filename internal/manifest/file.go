package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The bounds of a manifest, with what its aliases repeat and the files it names.
const (
	MaxBytes     = 8 << 20  // of the file
	maxJSONBytes = 32 << 20 // of all documents as JSON
	maxValues    = 200_000
	maxDepth     = 90
	maxName      = 1024 // bytes, as YAML itself has it for names that are on one line
)

// File is a manifest that has been read.
type File struct {
	Name      string
	Documents []Document
	// what the environment holds of the names that ${NAME} asks for; empty values count as none
	Secrets  map[string]string
	Warnings []Note // about what looks wrong and is allowed
	Faults   []Note // about what is wrong; the documents hold the rest
}

// Document is one agent of a manifest.
type Document struct {
	JSON json.RawMessage

	line  int
	lines map[string]int // by dotted path
}

// Note says something about a value in the file.
type Note struct {
	File string
	Line int    // from 1; 0 for the file as a whole
	Path string // dotted, such as actions.0.config.url; empty for a document as a whole
	Text string
}

// Position returns FILE:LINE: PATH.
func (n Note) Position() string {
	place := n.File
	if n.Line > 0 {
		place += ":" + strconv.Itoa(n.Line)
	}
	if n.Path != "" {
		place += ": " + n.Path
	}
	return place
}

// String returns FILE:LINE: PATH: TEXT.
func (n Note) String() string { return n.Position() + ": " + n.Text }

// Environment is the access to what a manifest may refer to.
type Environment struct {
	Open func(path string) (io.ReadCloser, error) // files of sources; the path is as the manifest has it
	Env  func(name string) string
}

// Read reads a manifest. It does not fail: everything that is wrong is in the file's Faults.
func Read(name string, text []byte, env Environment) *File {
	r := &reader{file: &File{Name: name, Secrets: map[string]string{}}, env: env}
	if len(text) > MaxBytes {
		r.addFault(0, "", fmt.Sprintf("the file is larger than %d MB", MaxBytes>>20))
		return r.file
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.addSyntaxFault(err)
			return r.file
		}
		r.readDocument(&node)
	}
	if len(r.file.Documents) == 0 && len(r.file.Faults) == 0 {
		r.addFault(0, "", "the file holds no agent")
	}
	return r.file
}

var linePattern = regexp.MustCompile(`^line (\d+): `)

// addSyntaxFault notes why the text is not YAML. The library counts the lines of one sort of errors from 0, and leaves
// out the first.
func (r *reader) addSyntaxFault(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := linePattern.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1]) // the expression takes digits only
		text = text[len(m[0]):]
	}
	if line == 0 || strings.HasPrefix(text, "did not find expected") {
		line++
	}
	r.addFault(line, "", "this is not YAML: "+text)
}

// Locate returns the line of a fault in the documents. Its path begins with the document's number, from 0; for a value
// that is absent the line is that of the one around it.
func (f *File) Locate(path, text string) Note {
	number, rest, _ := strings.Cut(path, ".")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(f.Documents) {
		return Note{File: f.Name, Path: path, Text: text}
	}
	d := &f.Documents[i]
	n := Note{File: f.Name, Line: d.line, Path: rest, Text: text}
	for at := rest; at != ""; at = parentPath(at) {
		if line, ok := d.lines[at]; ok {
			n.Line = line
			break
		}
	}
	return n
}

func parentPath(path string) string {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)]
}

// SortNotes returns the notes in the order of the file.
func SortNotes(notes []Note) []Note {
	notes = slices.Clone(notes)
	slices.SortStableFunc(notes, func(a, b Note) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Path, b.Path)
	})
	return notes
}
