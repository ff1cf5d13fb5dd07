package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/ingest"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// FolderIndex is a folder of text, read into memory and nowhere else.
type FolderIndex struct {
	index *retrieval.Index
	texts map[string]string // by hash
}

// ReadProgress is called with the progress of reading a folder.
type ReadProgress struct {
	Now    func() time.Time
	OnPage func(done, all int)
	OnSkip func(name, reason string)
	OnDone func(pages, passages int, elapsed time.Duration)
}

// ReadFolder reads every Markdown and text file of the folder.
func ReadFolder(folder fs.FS, r ReadProgress) (*FolderIndex, error) {
	start := r.Now()
	list, err := readPages(folder, r.OnSkip)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, parley.NewErrorf(parley.CodeInvalidBody,
			"The folder holds no Markdown or text files (.md, .markdown, .txt): name one that does.")
	}
	s := &FolderIndex{index: retrieval.NewIndex(), texts: map[string]string{}}
	for i, p := range list {
		s.texts[p.hash] = p.text
		s.index.Put(splitPassages(p)...)
		r.OnPage(i+1, len(list))
	}
	r.OnDone(len(list), s.index.Len(), r.Now().Sub(start))
	return s, nil
}

func splitPassages(p folderPage) []parley.Passage {
	var list []parley.Passage
	for i, piece := range ingest.Split(p.text) {
		list = append(list, parley.Passage{
			ID: parley.PassageID(fmt.Sprintf("%s#%d", p.name, i)), SourceID: parley.SourceID(p.name), SourceName: p.name,
			VersionID: parley.VersionID(p.hash), VersionHash: p.hash, Ordinal: i,
			Heading: piece.Heading, Start: piece.Start, End: piece.End, Text: p.text[piece.Start:piece.End],
		})
	}
	return list
}

// Answer is an answer from a folder.
type Answer struct {
	Text      string   `json:"answer"`
	Citations []Quote  `json:"citations"`
	Score     *float64 `json:"score"`   // 0 to 1; null if the model cannot tell
	Refused   bool     `json:"refused"` // the pages do not hold the answer
	Unsure    bool     `json:"unsure"`  // it says that it is not sure, and quotes what is nearest
}

// Quote is a citation with what it cites.
type Quote struct {
	Name        string `json:"file"`
	Heading     string `json:"heading,omitempty"`
	Quote       string `json:"quote"`
	Start       int    `json:"start"` // byte span of the quote in the file
	End         int    `json:"end"`
	AnswerStart int    `json:"answerStart"` // byte span in the answer
	AnswerEnd   int    `json:"answerEnd"`
}

// Ask answers the question as a server's agent would. It calls onChunk with each piece of text and each citation as it
// comes.
func (f *FolderIndex) Ask(ctx context.Context, models ModelConfig, question string,
	onChunk func(model.Chunk)) (*Answer, error) {
	table, err := models.NewRegistry()
	if err != nil {
		return nil, err
	}
	defer table.Close()
	backend, ok := table.Lookup("auto")
	if !ok {
		return nil, errors.New("no model answers for \"auto\"")
	}
	dictionaries, err := models.OpenDictionaries(slog.Default())
	if err != nil {
		return nil, err
	}
	req := model.Request{Model: backend.Name, Messages: []model.Message{{Role: "user", Text: question}}}
	for _, h := range f.index.Nearest(retrieval.Query{Text: question, Dictionaries: dictionaries}) {
		req.Passages = append(req.Passages, model.Passage{Passage: h.Passage, Score: h.Score, TermWeights: h.Terms,
			Translations: h.Translations, Reading: model.Reading(h.Reading), Signals: model.MatchSignals(h.Signs)})
	}
	a := &Answer{Citations: []Quote{}}
	for chunk, err := range backend.Model.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		onChunk(chunk)
		switch {
		case chunk.Text != "":
			a.Text += chunk.Text
		case chunk.Citation != nil:
			a.Citations = append(a.Citations, f.quote(req.Passages[chunk.Citation.PassageIndex].Passage, *chunk.Citation))
		case chunk.Finish != nil:
			a.Score, a.Refused, a.Unsure = chunk.Finish.Score, chunk.Finish.IsRefusal, chunk.Finish.IsUnsure
		}
	}
	return a, nil
}

func (f *FolderIndex) quote(p parley.Passage, c model.Citation) Quote {
	return Quote{
		Name: p.SourceName, Heading: p.Heading, Quote: f.texts[p.VersionHash][c.Start:c.End],
		Start: c.Start, End: c.End, AnswerStart: c.AnswerStart, AnswerEnd: c.AnswerEnd,
	}
}

// folderPage is one file of a folder.
type folderPage struct {
	name string // path in the folder
	hash string // SHA-256 of text, hex
	text string
}

// maxPageBytes is the largest file that is read, in bytes: the largest text source.
const maxPageBytes = 8 << 20

// readPages reads the Markdown and text files of a folder and of the folders in it, in order of their names. Hidden
// ones are left out; so are those too large or not UTF-8, of which skipped is called with the reason.
func readPages(folder fs.FS, skipped func(name, reason string)) ([]folderPage, error) {
	var list []folderPage
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			skipped(name, err.Error())
			return nil
		case name != "." && strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || !isReadable(entry.Name()):
			return nil
		}
		text, reason := readPage(folder, name)
		if reason != "" {
			skipped(name, reason)
			return nil
		}
		sum := sha256.Sum256([]byte(text))
		list = append(list, folderPage{name: name, hash: hex.EncodeToString(sum[:]), text: text})
		return nil
	})
	return list, err
}

func isReadable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".txt":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

func readPage(folder fs.FS, name string) (text, reason string) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return "", err.Error()
	}
	switch {
	case !info.Mode().IsRegular():
		return "", "not a regular file"
	case info.Size() > maxPageBytes:
		return "", fmt.Sprintf("larger than %d MB", maxPageBytes>>20)
	}
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", err.Error()
	}
	if !utf8.Valid(content) {
		return "", "not UTF-8 text"
	}
	return string(content), ""
}
