package dictionary

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// The form of dictd: an index of lines, headword TAB offset TAB length, and the texts, which are compressed as a gzip
// file with an additional table (dictzip). A text begins with a line of the headword; the lines after it are
// translations, and those that are indented examples, notes and synonyms.

// entry is the place of a headword's text.
type entry struct {
	offset, length int64
	headword       string
}

// Bounds of files, which are strangers' too.
const (
	maxIndexBytes = 256 << 20
	maxEntryBytes = 64 << 10
	maxLineBytes  = 64 << 10
	maxTextBytes  = 2 << 30 // of all texts, uncompressed
)

// readDictd calls add with the translations of the dictionary whose index has this name.
func readDictd(index string, add func(headword, translation string)) error {
	entries, err := readIndex(index)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(index, indexSuffix)
	var texts io.Reader
	file, err := os.Open(name + ".dict.dz")
	if errors.Is(err, os.ErrNotExist) {
		file, err = os.Open(name + ".dict")
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	texts = file
	if strings.HasSuffix(file.Name(), ".dz") {
		if texts, err = gzip.NewReader(bufio.NewReaderSize(file, 1<<16)); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	if err := readEntries(io.LimitReader(texts, maxTextBytes), entries, add); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

const indexSuffix = ".index"

// readIndex returns the entries in the order of their texts.
func readIndex(name string) (list []entry, err error) {
	err = eachLine(name, maxIndexBytes, func(line string) error {
		headword, rest, _ := strings.Cut(line, "\t")
		offset, length, _ := strings.Cut(rest, "\t")
		length, _, _ = strings.Cut(length, "\t")
		e := entry{headword: strings.Clone(headword)}
		var ok, alsoOK bool
		e.offset, ok = decodeNumber(offset)
		e.length, alsoOK = decodeNumber(length)
		if !ok || !alsoOK {
			return errors.New("not a headword, the place of its text and its length, separated by tabs")
		}
		if e.length <= maxEntryBytes && !isAboutDictionary(headword) {
			list = append(list, e)
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	return list, err
}

// isAboutDictionary reports whether the entry tells of the dictionary itself: its name, its source.
func isAboutDictionary(headword string) bool {
	return strings.HasPrefix(headword, "00database") || strings.HasPrefix(headword, "00-database")
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeNumber reads a number that is written to the base of 64, the highest digit first.
func decodeNumber(text string) (n int64, ok bool) {
	for i := range len(text) {
		digit := strings.IndexByte(base64Digits, text[i])
		if digit < 0 {
			return 0, false
		}
		n = n<<6 | int64(digit)
	}
	return n, text != "" && len(text) <= 8
}

// eachLine calls yield with the lines of a file, and names the line in what it returns.
func eachLine(name string, maxBytes int64, yield func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(io.LimitReader(file, maxBytes))
	lines.Buffer(make([]byte, 1<<16), maxLineBytes)
	number := 0
	for lines.Scan() {
		number++
		if err := yield(lines.Text()); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s, line %d: %w", name, number+1, err)
	}
	return nil
}

// readEntries reads the texts one after another: several headwords may have the same one.
func readEntries(texts io.Reader, entries []entry, add func(headword, translation string)) error {
	r := bufio.NewReaderSize(texts, 1<<16)
	at, buffer := int64(0), []byte(nil)
	for i, e := range entries {
		end := at - int64(len(buffer))
		if i > 0 && e.offset < at && e.offset == end && e.length == int64(len(buffer)) {
			addEntry(e.headword, string(buffer), add)
			continue
		}
		if e.offset < at {
			continue // texts that overlap are not those of a dictionary
		}
		if _, err := io.CopyN(io.Discard, r, e.offset-at); err != nil {
			return fmt.Errorf("the text of %q is missing: %w", e.headword, err)
		}
		buffer = slices.Grow(buffer[:0], int(e.length))[:e.length]
		if _, err := io.ReadFull(r, buffer); err != nil {
			return fmt.Errorf("the text of %q is missing: %w", e.headword, err)
		}
		at = e.offset + e.length
		addEntry(e.headword, string(buffer), add)
	}
	return nil
}

// addEntry adds the translations in the text of an entry.
func addEntry(headword, text string, add func(headword, translation string)) {
	_, text, _ = strings.Cut(text, "\n") // the headword, how it is spoken, what part of speech it is
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, " see:") || strings.ContainsAny(line, "ˈˌ") {
			continue // with stress marks it is another spelling of the headword
		}
		for part := range strings.SplitSeq(plainTranslations(line), ",") {
			if part = strings.TrimSpace(part); part != "" {
				add(headword, part)
			}
		}
	}
}

// plainTranslations returns the translations of a line with commas between them, without their numbers and without what
// is said about them in brackets.
func plainTranslations(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "0123456789.")
	var b strings.Builder
	depth := 0
	for _, r := range line {
		switch r {
		case '<', '[', '(', '{':
			depth++
		case '>', ']', ')', '}':
			depth = max(0, depth-1)
		case ';', '/', '؛', '،', '|':
			r = ','
			fallthrough
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
