package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"parley"
)

var isTrue, isFalse = true, false

// readSQuAD reads SQuAD's format: each paragraph is a passage, each file a set.
func readSQuAD(_ fs.FS, files []file) (sets []Set, err error) {
	type record struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				Qas     []struct {
					ID, Question string
					Impossible   bool `json:"is_impossible"`
					Answers      []struct{ Text string }
				}
			}
		}
	}
	for _, f := range filesWith(files, "data", "version") {
		records, err := decodeRecords[record]([]file{f})
		if err != nil {
			return nil, err
		}
		set := Set{Name: strings.TrimSuffix(f.name, path.Ext(f.name))}
		for _, article := range records[0].Data {
			for _, p := range article.Paragraphs {
				doc := strconv.Itoa(len(set.Docs))
				set.Docs = append(set.Docs, Doc{ID: doc, Text: p.Context, IsPassage: true})
				for _, q := range p.Qas {
					ask := Question{ID: q.ID, Text: q.Question, Relevant: []string{doc}, Answerable: &isTrue}
					if q.Impossible {
						ask.Relevant, ask.Answerable = nil, &isFalse
					}
					for _, a := range q.Answers {
						ask.References = append(ask.References, a.Text)
					}
					set.Questions = append(set.Questions, ask)
				}
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// readStackFAQ reads threads of questions with answers, and paraphrases of the questions, twice: the question of a
// thread is a passage, and the thread is a source of kind qna with its first answer.
func readStackFAQ(_ fs.FS, files []file) ([]Set, error) {
	bank, queries := filesWith(files, "id", "question", "answers"), filesWith(files, "thread", "query")
	if len(bank) == 0 || len(queries) == 0 {
		return nil, nil
	}
	threads, err := decodeRecords[struct {
		ID, Question string
		Answers      []string
	}](bank)
	if err != nil {
		return nil, err
	}
	paraphrases, err := decodeRecords[struct{ Thread, Query string }](queries)
	if err != nil {
		return nil, err
	}
	set, pairs := Set{Name: "stackfaq"}, Set{Name: "stackfaq-qna"}
	for _, t := range threads {
		set.Docs = append(set.Docs, Doc{ID: t.ID, Text: t.Question, IsPassage: true})
		if len(t.Answers) > 0 {
			pairs.Docs = append(pairs.Docs, Doc{ID: t.ID, Questions: []string{t.Question}, Text: t.Answers[0]})
		}
	}
	for i, p := range paraphrases {
		set.Questions = append(set.Questions,
			Question{ID: strconv.Itoa(i), Text: p.Query, Relevant: []string{p.Thread}, Answerable: &isTrue})
	}
	pairs.Questions = set.Questions
	return []Set{set, pairs}, nil
}

// readClapNQ reads questions with a passage each, which leaves those without an answer open.
func readClapNQ(_ fs.FS, files []file) ([]Set, error) {
	rows, err := decodeRecords[struct {
		ID, Input string
		Passages  []struct{ Title, Text string }
		Output    []struct{ Answer string }
	}](filesWith(files, "id", "input", "passages"))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	set := Set{Name: "clapnq"}
	for _, r := range rows {
		if len(r.Passages) == 0 {
			continue
		}
		set.Docs = append(set.Docs, Doc{ID: r.ID, Title: r.Passages[0].Title, Text: r.Passages[0].Text})
		ask := Question{ID: r.ID, Text: r.Input, Answerable: &isFalse}
		if len(r.Output) > 0 && strings.TrimSpace(r.Output[0].Answer) != "" {
			ask.Relevant, ask.Answerable = []string{r.ID}, &isTrue
		}
		set.Questions = append(set.Questions, ask)
	}
	return []Set{set}, nil
}

// mtragTask is one question of a conversation in MTRAG's format.
type mtragTask struct {
	ID            string `json:"task_id"`
	Answerability []string
	Contexts      []struct {
		ID    string `json:"document_id"`
		Text  string
		Title string
	}
	Input []struct{ Speaker, Text string }
}

// readMTRAG reads conversations whose passages are pooled.
func readMTRAG(_ fs.FS, files []file) ([]Set, error) {
	tasks, err := decodeRecords[mtragTask](filesWith(files, "task_id", "contexts", "input"))
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	set, pooled := Set{Name: "mtrag-un"}, map[string]bool{}
	for _, t := range tasks {
		for _, c := range t.Contexts {
			if !pooled[c.ID] {
				pooled[c.ID] = true
				set.Docs = append(set.Docs, Doc{ID: c.ID, Title: c.Title, Text: c.Text})
			}
		}
		if len(t.Input) > 0 {
			set.Questions = append(set.Questions, t.toQuestion())
		}
	}
	return []Set{set}, nil
}

// toQuestion returns the last message as a question. What is answered in part, or is unclear, counts neither as
// answerable nor as unanswerable.
func (t *mtragTask) toQuestion() Question {
	last := len(t.Input) - 1
	ask := Question{ID: t.ID, Text: t.Input[last].Text}
	for _, c := range t.Contexts {
		ask.Relevant = append(ask.Relevant, c.ID)
	}
	for _, m := range t.Input[:last] {
		by := parley.AuthorAssistant
		if m.Speaker == "user" {
			by = parley.AuthorUser
		}
		ask.History = append(ask.History, newMessage(by, m.Text))
	}
	switch {
	case slices.Equal(t.Answerability, []string{"ANSWERABLE"}):
		ask.Answerable = &isTrue
	case slices.Equal(t.Answerability, []string{"UNANSWERABLE"}):
		ask.Answerable = &isFalse
	}
	return ask
}

// readHelpCentre reads the pages of a help centre and those of its frequent questions that link to a page.
func readHelpCentre(folder fs.FS, files []file) ([]Set, error) {
	rows, err := decodeRecords[struct {
		ID, Question string
		Linked       []string `json:"linked_pages"`
	}](filesWith(files, "question", "linked_pages"))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	set := Set{Name: "ente-help"}
	err = fs.WalkDir(folder, "pages", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(folder, name)
		name = strings.TrimPrefix(name, "pages/")
		set.Docs = append(set.Docs, Doc{ID: name, SourceName: name, Text: string(text)})
		return err
	})
	for _, r := range rows {
		if len(r.Linked) > 0 {
			set.Questions = append(set.Questions, Question{ID: r.ID, Text: r.Question, Relevant: r.Linked, Answerable: &isTrue})
		}
	}
	return []Set{set}, err
}

// jsonlRecord is a record of the format of our own: a question, or a document.
type jsonlRecord struct {
	ID         string           `json:"id"`
	Question   string           `json:"question"`
	History    []historyMessage `json:"history"`
	Relevant   []string         `json:"relevant"`
	Answerable *bool            `json:"answerable"`

	Title string `json:"title"`
	Text  string `json:"text"`
}

// historyMessage is a message before the question: a text of the user, or an object with its role.
type historyMessage struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

func (h *historyMessage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		h.Role = "user"
		return json.Unmarshal(b, &h.Text)
	}
	type plain historyMessage
	if err := json.Unmarshal(b, (*plain)(h)); err != nil {
		return err
	}
	if h.Role != "user" && h.Role != "assistant" {
		return fmt.Errorf("history: the role %q is neither user nor assistant", h.Role)
	}
	return nil
}

func (h *historyMessage) toMessage() parley.Message {
	if h.Role == "user" {
		return newMessage(parley.AuthorUser, h.Text)
	}
	return newMessage(parley.AuthorAssistant, h.Text)
}

// readOwnFormat reads JSON Lines of questions and documents, in one file or in several.
func readOwnFormat(_ fs.FS, files []file) ([]Set, error) {
	matching := slices.DeleteFunc(slices.Clone(files), func(f file) bool {
		return !f.hasMembers("id", "question") && !f.hasMembers("id", "text")
	})
	lines, err := decodeRecords[jsonlRecord](matching)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	set, seen := Set{Name: "questions"}, map[string]bool{}
	for _, l := range lines {
		kind := "document "
		if l.Question != "" {
			kind = "question "
		}
		if l.ID == "" || seen[kind+l.ID] {
			return nil, fmt.Errorf("the %sid %q is empty or there twice", kind, l.ID)
		}
		seen[kind+l.ID] = true
		if l.Question == "" {
			set.Docs = append(set.Docs, Doc{ID: l.ID, SourceName: l.Title, Title: l.Title, Text: l.Text})
			continue
		}
		ask := Question{ID: l.ID, Text: l.Question, Relevant: l.Relevant, Answerable: l.Answerable}
		if ask.Answerable == nil && len(ask.Relevant) > 0 {
			ask.Answerable = &isTrue
		}
		for _, t := range l.History {
			ask.History = append(ask.History, t.toMessage())
		}
		set.Questions = append(set.Questions, ask)
	}
	if len(set.Docs) == 0 || len(set.Questions) == 0 {
		return nil, errors.New("a question set needs documents and questions")
	}
	return []Set{set}, nil
}
