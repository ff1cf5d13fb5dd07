package dictionary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/words"
)

// Translate returns the words that may stand for the folded word in the other language, the likeliest ones first. For a
// compound whose parts alone are headwords there is a list for each part, the last one first: it says what the whole
// is. The result is nil if neither the word nor another form of it, nor its parts, are headwords.
func (d *Dictionary) Translate(word string) [][]Translation {
	if targets := d.findForm(word); targets != nil {
		return partTranslations(d.translations(targets))
	}
	if joints := compoundJoints[d.from]; joints != nil && len(word) <= maxCompoundBytes {
		return d.translateCompound(word, joints, 0)
	}
	return nil
}

// partTranslations returns a list for each word of the first translation, the last word first, where all translations
// are of several words.
func partTranslations(list []Translation) (parts [][]Translation) {
	if slices.ContainsFunc(list, func(t Translation) bool { return t.Parts == 1 }) {
		return [][]Translation{list}
	}
	for _, t := range slices.Backward(list[:min(list[0].Parts, len(list))]) {
		parts = append(parts, []Translation{{t.Word, 1}})
	}
	return parts
}

func (d *Dictionary) translations(targets []uint32) (list []Translation) {
	for _, t := range targets {
		list = addTranslation(list, d.target(t))
		if len(list) == maxTargets {
			break
		}
	}
	return list
}

// addTranslation adds a translation; of one that is there already the shorter one stays.
func addTranslation(list []Translation, t Translation) []Translation {
	for i := range list {
		if list[i].Word == t.Word {
			list[i].Parts = min(list[i].Parts, t.Parts)
			return list
		}
	}
	return append(list, t)
}

// findForm finds the word in whatever form the dictionary has it.
func (d *Dictionary) findForm(word string) []uint32 {
	if len(word) > maxWordBytes {
		return nil
	}
	if targets := d.find(word); targets != nil {
		return targets
	}
	for _, prefix := range boundPrefixes[d.from] {
		if rest, ok := strings.CutPrefix(word, prefix); ok && utf8.RuneCountInString(rest) >= minBoundRunes {
			if targets := d.find(rest); targets != nil {
				return targets
			}
		}
	}
	return nil
}

// boundPrefixes are words that are written with the next one: the article, and, in, with, for, as, so.
var boundPrefixes = map[words.Language][]string{
	words.Arabic: {"وبال", "ولل", "وال", "بال", "فال", "كال", "لل", "ال", "و", "ب", "ف", "ك", "ل", "س"},
}

// minBoundRunes is how many letters a word has at least that something is written before.
const minBoundRunes = 3

// compoundJoints are what may be between the parts of a compound, in languages that write compounds as one word.
var compoundJoints = map[words.Language][]string{
	words.German:    {"", "s", "n", "en", "es", "er", "e"},
	words.Dutch:     {"", "s", "e", "en", "er"},
	words.Swedish:   {"", "s"},
	words.Danish:    {"", "s", "e", "er"},
	words.Norwegian: {"", "s", "e"},
	words.Finnish:   {"", "n"},
}

const (
	minCompoundPart  = 4 // bytes of a part of a compound
	maxCompoundBytes = 60
	maxCompoundDepth = 2 // further parts after the first
)

// translateCompound returns the translations of a compound's parts, for the place to part it at that leaves the longest
// last part.
func (d *Dictionary) translateCompound(word string, joints []string, depth int) [][]Translation {
	for at := minCompoundPart; at <= len(word)-minCompoundPart; at++ {
		if !utf8.RuneStart(word[at]) {
			continue
		}
		last := d.findForm(word[at:])
		if last == nil {
			continue
		}
		if first := d.translateFirstPart(word[:at], joints, depth); first != nil {
			return append([][]Translation{d.translations(last)}, first...)
		}
	}
	return nil
}

// translateFirstPart translates what is before the last part of a compound, with or without what joins the two.
func (d *Dictionary) translateFirstPart(part string, joints []string, depth int) [][]Translation {
	for _, joint := range joints {
		first, ok := strings.CutSuffix(part, joint)
		if !ok || len(first) < minCompoundPart {
			continue
		}
		if targets := d.findForm(first); targets != nil {
			return [][]Translation{d.translations(targets)}
		}
	}
	if depth < maxCompoundDepth {
		return d.translateCompound(part, joints, depth+1)
	}
	return nil
}
