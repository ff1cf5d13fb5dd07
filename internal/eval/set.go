// Package eval measures answers: it runs sets of questions through the same retrieval, prompt and model as a
// conversation's turn, beside plain BM25, and asks an agent its past questions again.
package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"parley"
)

// Set is a collection of documents with questions about them.
type Set struct {
	Name      string
	Docs      []Doc
	Questions []Question
}

// Doc is a text that questions may be answered from.
type Doc struct {
	ID         string
	Title      string
	Text       string
	SourceName string // of the source that it would be, such as a path
	IsPassage  bool   // one passage, and the title its heading; else it is split as a source is

	Questions []string // that Text answers, where it is a source of kind qna
}

// Question is what to ask.
type Question struct {
	ID         string
	Text       string
	History    []parley.Message // what was said before, oldest first
	Relevant   []string         // documents, or passages as document#number, that hold the answer
	Answerable *bool            // nil if the set does not say, or says "in part"
	References []string         // short answers, one of which the reply must hold
}

// file is one data file with the members of its first record, which tell its format.
type file struct {
	name        string
	content     []byte
	firstRecord map[string]json.RawMessage
}

func (f file) hasMembers(members ...string) bool {
	return !slices.ContainsFunc(members, func(m string) bool { _, ok := f.firstRecord[m]; return !ok })
}

// ReadSets finds the sets in a folder by looking at its files: SQuAD's format, StackFAQ, CLAP NQ, MTRAG, a help centre
// with its questions, questions by intent, questions to Parley's manual, and the format of our own. A folder without
// any is taken for a folder of such folders. With a file's name, that file alone is read.
func ReadSets(folder fs.FS, fileName string) ([]Set, error) {
	files, folders, err := listDataFiles(folder, fileName)
	if err != nil {
		return nil, err
	}
	sets, err := detectSets(folder, files)
	if err != nil || len(sets) > 0 || fileName != "" {
		return sets, requireSets(sets, err)
	}
	for _, name := range folders {
		sub, err := fs.Sub(folder, name)
		if err != nil {
			return nil, err
		}
		files, _, err := listDataFiles(sub, "")
		if err != nil {
			return nil, err
		}
		more, err := detectSets(sub, files)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sets = append(sets, more...)
	}
	return sets, requireSets(sets, nil)
}

func requireSets(sets []Set, err error) error {
	if err == nil && len(sets) == 0 {
		return errors.New("no question set found: there is neither a known format nor a JSONL file with " +
			"questions and documents")
	}
	return err
}

// listDataFiles returns the data files of a folder, and the folders in it.
func listDataFiles(folder fs.FS, fileName string) (files []file, folders []string, err error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case fileName != "" && name != fileName:
		case e.IsDir():
			folders = append(folders, name)
		case slices.Contains(dataFileExtensions, path.Ext(name)):
			f, err := openDataFile(folder, name)
			if err != nil {
				return nil, nil, err
			}
			if f.firstRecord != nil || path.Ext(name) == ".csv" || path.Ext(name) == ".tsv" {
				files = append(files, f)
			}
		}
	}
	return files, folders, nil
}

var dataFileExtensions = []string{".json", ".jsonl", ".csv", ".tsv"}

// openDataFile reads a file; one that does not begin with an object is none of ours.
func openDataFile(folder fs.FS, name string) (file, error) {
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return file{}, err
	}
	f := file{name: name, content: content}
	if json.NewDecoder(bytes.NewReader(content)).Decode(&f.firstRecord) != nil {
		f.firstRecord = nil
	}
	return f, nil
}

// detectSets tries the formats, the most telling ones first.
func detectSets(folder fs.FS, files []file) ([]Set, error) {
	for _, format := range []func(fs.FS, []file) ([]Set, error){readSQuAD, readStackFAQ, readClapNQ, readMTRAG,
		readHelpCentre, readIntents, readManualQuestions, readOwnFormat} {
		sets, err := format(folder, files)
		if err != nil || len(sets) > 0 {
			return sets, err
		}
	}
	return nil, nil
}

func filesWith(files []file, members ...string) (found []file) {
	for _, f := range files {
		if f.hasMembers(members...) {
			found = append(found, f)
		}
	}
	return found
}

func decodeRecords[T any](files []file) (all []T, err error) {
	for _, f := range files {
		for dec := json.NewDecoder(bytes.NewReader(f.content)); ; {
			var v T
			err := dec.Decode(&v)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			all = append(all, v)
		}
	}
	return all, nil
}

func newMessage(by parley.AuthorKind, text string) parley.Message {
	return parley.Message{Author: by, Parts: []parley.Part{{Type: "text", Text: text}}}
}

func withTitle(title, text string) string {
	if strings.TrimSpace(title) == "" {
		return text
	}
	return "# " + title + "\n\n" + text
}
