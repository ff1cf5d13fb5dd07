package eval

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"parley/docs"
	"parley/internal/ingest"
)

// How many questions of an intent are made a source's, and how many more are asked.
const (
	maxIntentSamples = 12
	maxIntentAsked   = 10
)

// outOfScope is the intent of questions that no other intent covers.
const outOfScope = "oos"

// intentQuestion is a question with what it is about.
type intentQuestion struct{ text, intent string }

// readIntents reads the questions by intent of CLINC150 and BANKING77: each intent becomes a source of kind qna with
// some of its questions, and the others are asked. Neither set has answers, so that a sentence stands for each.
func readIntents(_ fs.FS, files []file) (sets []Set, err error) {
	for _, f := range files {
		var list []intentQuestion
		name := ""
		switch {
		case f.hasMembers("val", "oos_val"):
			name = "clinc150"
			list, err = decodeCLINC(f)
		case path.Ext(f.name) == ".csv" && bytes.HasPrefix(f.content, []byte("text,category")):
			name = "banking77"
			list, err = decodeBanking(f)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if name != "" {
			sets = append(sets, newIntentSet(name, list))
		}
	}
	return sets, nil
}

func decodeCLINC(f file) (list []intentQuestion, err error) {
	var parts map[string][][2]string
	if err := json.Unmarshal(f.content, &parts); err != nil {
		return nil, err
	}
	for _, name := range []string{"train", "val", "test", "oos_train", "oos_val", "oos_test"} {
		for _, q := range parts[name] {
			list = append(list, intentQuestion{q[0], q[1]})
		}
	}
	return list, nil
}

func decodeBanking(f file) (list []intentQuestion, err error) {
	rows, err := csv.NewReader(bytes.NewReader(f.content)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows[1:] {
		list = append(list, intentQuestion{row[0], row[1]})
	}
	return list, nil
}

// newIntentSet takes turns: of each intent one question is a sample and the next is asked, until there are enough.
func newIntentSet(name string, list []intentQuestion) Set {
	set, docs, seen := Set{Name: name}, map[string]int{}, map[string]int{}
	for i, q := range list {
		n := seen[q.intent]
		seen[q.intent]++
		ask := Question{ID: strconv.Itoa(i), Text: q.text, Relevant: []string{q.intent}, Answerable: &isTrue}
		switch {
		case q.intent == outOfScope:
			ask.Relevant, ask.Answerable = nil, &isFalse
			set.Questions = append(set.Questions, ask)
		case n%2 == 0 && n/2 < maxIntentSamples:
			d, ok := docs[q.intent]
			if !ok {
				d = len(set.Docs)
				docs[q.intent] = d
				set.Docs = append(set.Docs, Doc{ID: q.intent,
					Text: "We have written down what to know about " + strings.ReplaceAll(q.intent, "_", " ") + "."})
			}
			set.Docs[d].Questions = append(set.Docs[d].Questions, q.text)
		case n%2 == 1 && n/2 < maxIntentAsked:
			set.Questions = append(set.Questions, ask)
		}
	}
	return set
}

// readManualQuestions reads questions to Parley's own manual, a line each: the question, a tab, and the headings that
// answer it as page.md#Heading with | between them. Without a heading the manual does not answer it.
func readManualQuestions(_ fs.FS, files []file) ([]Set, error) {
	set := Set{Name: "manual"}
	for _, f := range files {
		if path.Ext(f.name) != ".tsv" {
			continue
		}
		if len(set.Docs) == 0 {
			var err error
			if set.Docs, err = manualDocs(); err != nil {
				return nil, err
			}
		}
		for line := range strings.Lines(string(f.content)) {
			text, headings, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
			if !ok {
				continue
			}
			ask := Question{ID: strconv.Itoa(len(set.Questions) + 1), Text: text, Answerable: &isFalse}
			if strings.TrimSpace(headings) != "" {
				ask.Answerable = &isTrue
				for h := range strings.SplitSeq(headings, "|") {
					found := passagesUnder(set.Docs, h)
					if len(found) == 0 {
						return nil, fmt.Errorf("%s: the manual has no heading %q", f.name, h)
					}
					ask.Relevant = append(ask.Relevant, found...)
				}
			}
			set.Questions = append(set.Questions, ask)
		}
	}
	if len(set.Questions) == 0 {
		return nil, nil
	}
	return []Set{set}, nil
}

// ManualSet returns questions to Parley's own manual of which it is not known whether it answers them: those given, and
// the headings of the manual that are questions.
func ManualSet(questions ...string) (set Set, err error) {
	set.Name = "manual"
	if set.Docs, err = manualDocs(); err != nil {
		return set, err
	}
	for _, d := range set.Docs {
		for line := range strings.Lines(d.Text) {
			if heading := strings.TrimSpace(strings.TrimLeft(line, "#")); line[0] == '#' && strings.HasSuffix(heading, "?") {
				questions = append(questions, heading)
			}
		}
	}
	for i, text := range questions {
		set.Questions = append(set.Questions, Question{ID: strconv.Itoa(i + 1), Text: text})
	}
	return set, nil
}

func manualDocs() (list []Doc, err error) {
	pages, err := fs.Glob(docs.Manual, "manual/*.md")
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := docs.Manual.ReadFile(page)
		if err != nil {
			return nil, err
		}
		list = append(list, Doc{ID: path.Base(page), SourceName: path.Base(page), Text: string(text)})
	}
	return list, nil
}

// passagesUnder returns the passages below a heading, page.md#Heading.
func passagesUnder(list []Doc, place string) (ids []string) {
	page, heading, _ := strings.Cut(strings.TrimSpace(place), "#")
	plain := strings.NewReplacer("`", "", "*", "")
	for _, d := range list {
		if d.ID != page {
			continue
		}
		for i, p := range ingest.Split(d.Text) {
			if slices.Contains(strings.Split(plain.Replace(p.Heading), " › "), plain.Replace(heading)) {
				ids = append(ids, string(passageID(d.ID, i)))
			}
		}
	}
	return ids
}
