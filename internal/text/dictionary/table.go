package dictionary

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// A table is a text file of lines: headword TAB translation, with commas between several translations. Empty lines and
// those that begin with # are passed over.

const (
	tableSuffix   = ".tsv"
	maxTableBytes = 256 << 20
)

func readTable(name string, add func(headword, translation string)) error {
	return eachLine(name, maxTableBytes, func(line string) error {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "\ufeff")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			return nil
		}
		headword, translations, ok := strings.Cut(line, "\t")
		switch {
		case !utf8.ValidString(line):
			return errors.New("not UTF-8")
		case !ok || strings.TrimSpace(headword) == "" || strings.TrimSpace(translations) == "":
			return errors.New("not a headword and its translations, separated by a tab")
		}
		headword = strings.Clone(strings.TrimSpace(headword))
		for part := range strings.SplitSeq(translations, ",") {
			if part = strings.TrimSpace(part); part != "" {
				add(headword, part)
			}
		}
		return nil
	})
}
