package dictionary

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/internal/text/language"
	"parley/internal/text/words"
)

// Set is the dictionaries of a server. It is safe for concurrent use; a nil Set translates nothing.
type Set struct {
	files map[pair][]string // in order
	log   *slog.Logger

	mu     sync.Mutex
	loaded map[pair]*loading
}

type pair struct{ from, to words.Language }

// loading is a dictionary that is being read, once for all who need it.
type loading struct {
	once sync.Once
	d    *Dictionary
}

// Open finds the dictionaries in the folders, whose texts are read later. A folder that cannot be read is an error;
// files that are no dictionaries of two known languages are passed over.
func Open(folders []string, log *slog.Logger) (*Set, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Set{files: map[pair][]string{}, log: log, loaded: map[pair]*loading{}}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("dictionaries: %w", err)
		}
		for _, e := range entries {
			if p, ok := pairOf(e.Name()); ok && !e.IsDir() {
				s.files[p] = append(s.files[p], filepath.Join(folder, e.Name()))
			}
		}
	}
	return s, nil
}

// pairOf returns the languages of a dictionary by the name of its file: the last two parts of it, de-en.tsv or
// freedict-deu-eng.index.
func pairOf(name string) (p pair, ok bool) {
	rest, isTable := strings.CutSuffix(name, tableSuffix)
	if !isTable {
		if rest, ok = strings.CutSuffix(name, indexSuffix); !ok {
			return p, false
		}
	}
	parts := strings.Split(rest, "-")
	if len(parts) < 2 {
		return p, false
	}
	from, knowsFrom := languageCodes()[strings.ToLower(parts[len(parts)-2])]
	to, knowsTo := languageCodes()[strings.ToLower(parts[len(parts)-1])]
	return pair{from, to}, knowsFrom && knowsTo && from != to
}

// languageCodes returns the languages by their tags and by the other codes that dictionaries are named by.
var languageCodes = sync.OnceValue(func() map[string]words.Language {
	codes := map[string]words.Language{}
	for i, file := range language.All() {
		l := words.Language(i)
		if file.Tag == "" || hasDenseScript(l) {
			continue
		}
		codes[file.Tag] = l
		for code := range file.Codes.All() {
			codes[code] = l
		}
	}
	return codes
})

// hasDenseScript reports whether the words of a language are not written apart: a dictionary of words is no use then.
func hasDenseScript(l words.Language) bool { return l == words.Chinese || l == words.Japanese }

// Pairs returns the languages that can be translated, as "de-en", in order.
func (s *Set) Pairs() (list []string) {
	if s == nil {
		return nil
	}
	for p := range s.files {
		list = append(list, p.from.Tag()+"-"+p.to.Tag())
	}
	slices.Sort(list)
	return list
}

// Find returns the dictionary from one language into the other, which is read now if that has not been done yet; nil if
// there is none.
func (s *Set) Find(from, to words.Language) *Dictionary {
	p := pair{from, to}
	if s == nil || len(s.files[p]) == 0 && len(s.files[p.reversed()]) == 0 {
		return nil
	}
	s.mu.Lock()
	l := s.loaded[p]
	if l == nil {
		l = &loading{}
		s.loaded[p] = l
	}
	s.mu.Unlock()
	l.once.Do(func() { l.d = s.read(p) })
	return l.d
}

func (p pair) reversed() pair { return pair{p.to, p.from} }

// minOwnHeadwords is how many headwords make a dictionary large enough by itself; one with fewer is completed by those
// of the other direction.
const minOwnHeadwords = 100_000

// read reads the files of a pair. Those that cannot be read are left out, with a warning.
func (s *Set) read(p pair) *Dictionary {
	b := newBuilder(p.from, p.to)
	s.readFiles(b, s.files[p], b.add)
	if b.count < minOwnHeadwords {
		s.readFiles(b, s.files[p.reversed()], func(headword, translation string) { b.add(translation, headword) })
	}
	d := b.build()
	if d.Len() == 0 {
		return nil
	}
	s.log.Info("dictionary read", "from", p.from.Tag(), "to", p.to.Tag(), "headwords", d.Len(), "bytes", d.Bytes())
	return d
}

func (s *Set) readFiles(b *builder, files []string, add func(headword, translation string)) {
	for _, name := range files {
		before := len(b.pairs)
		read := readTable
		if strings.HasSuffix(name, indexSuffix) {
			read = readDictd
		}
		if err := read(name, add); err != nil {
			b.pairs = b.pairs[:before] // half a dictionary would answer as nobody expects
			if path := (*os.PathError)(nil); errors.As(err, &path) {
				err = fmt.Errorf("%s: %w", path.Path, path.Err)
			}
			s.log.Warn("dictionary left out", "file", name, "error", err)
		}
	}
}
