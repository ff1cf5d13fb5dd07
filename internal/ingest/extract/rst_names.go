package extract

import (
	"regexp"
	"strings"

	"parley/internal/ingest/extract/draft"
)

// rstNames are what names of a reStructuredText stand for.
type rstNames struct {
	texts   map[string]string // of |name|, in lower case
	notes   map[string]string // short ones, by their mark
	repeats draft.RepeatBudget
}

const maxRSTNote = 200 // bytes of a note that is put into its sentence

var (
	rstReplace = regexp.MustCompile(`^\.\. \|([^|\s][^|]{0,60})\| replace:: *(.*)$`)
	rstName    = regexp.MustCompile(`\|([^|\s][^|]{0,60})\|(?:__?\b)?`)
	rstNoteRef = regexp.MustCompile(`([.!?]?) ?\[([^\]\s]{1,40})\]_`)
)

// findNames finds what names stand for, wherever the text says it, and short notes.
func (r *rstReader) findNames() {
	r.texts, r.notes = map[string]string{}, map[string]string{}
	for at, line := range r.lines {
		if found := rstReplace.FindStringSubmatch(line); found != nil {
			r.texts[rstKey(found[1])] = r.wholeText(at, found[2])
		}
		if found := rstFootnote.FindStringSubmatch(line); found != nil {
			if note := r.wholeText(at, found[2]); len(note) <= maxRSTNote && isNamedNote(found[1]) {
				r.notes[strings.Trim(found[1], "[]")] = strings.TrimRight(note, ".")
			}
		}
	}
}

func rstKey(name string) string { return strings.ToLower(draft.CollapseSpaces(name)) }

// isNamedNote reports whether a note has a mark of its own: "#" and "*" count those that have none.
func isNamedNote(mark string) bool { return mark != "[#]" && mark != "[*]" }

// wholeText returns a text with the indented lines below it.
func (r *rstReader) wholeText(at int, text string) string {
	for at++; at < len(r.lines) && strings.HasPrefix(r.lines[at], " ") && len(text) <= maxRSTNote; at++ {
		text += " " + r.lines[at]
	}
	return draft.CollapseSpaces(text)
}

// readNote leaves out a note that its sentence tells.
func (r *rstReader) readNote(mark, text string) {
	r.at++
	if r.notes[strings.Trim(mark, "[]")] == "" {
		r.writeText(mark + " " + text)
		return
	}
	r.takeIndented()
}

// replaceNames writes what names stand for, and notes into their sentences.
func (r *rstReader) replaceNames(line string) string {
	line = rstNoteRef.ReplaceAllStringFunc(line, func(reference string) string {
		found := rstNoteRef.FindStringSubmatch(reference)
		if note := r.repeats.Take(r.notes[found[2]]); note != "" {
			return " (" + note + ")" + found[1]
		}
		return reference
	})
	return rstName.ReplaceAllStringFunc(line, func(name string) string {
		if text := r.repeats.Take(r.texts[rstKey(rstName.FindStringSubmatch(name)[1])]); text != "" {
			return text
		}
		return name
	})
}
