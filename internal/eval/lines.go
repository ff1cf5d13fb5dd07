package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"parley"
)

// line is a record of the format of our own: a question, or a document.
type line struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	History    []turn   `json:"history"`
	Relevant   []string `json:"relevant"`
	Answerable *bool    `json:"answerable"`

	Title string `json:"title"`
	Text  string `json:"text"`
}

// turn is something said before the question: a text of the user, or an object with its role.
type turn struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

func (t *turn) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		t.Role = "user"
		return json.Unmarshal(b, &t.Text)
	}
	type plain turn
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	if t.Role != "user" && t.Role != "assistant" {
		return fmt.Errorf("history: the role %q is neither user nor assistant", t.Role)
	}
	return nil
}

func (t *turn) message() parley.Message {
	if t.Role == "user" {
		return said(parley.ByUser, t.Text)
	}
	return said(parley.ByAssistant, t.Text)
}

// ours reads JSON Lines of questions and documents, in one file or in several.
func ours(_ fs.FS, files []file) ([]Set, error) {
	mine := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !f.has("id", "question") && !f.has("id", "text") })
	lines, err := decode[line](mine)
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
			set.Docs = append(set.Docs, Doc{ID: l.ID, Name: l.Title, Title: l.Title, Text: l.Text})
			continue
		}
		ask := Question{ID: l.ID, Text: l.Question, Relevant: l.Relevant, Answerable: l.Answerable}
		if ask.Answerable == nil && len(ask.Relevant) > 0 {
			ask.Answerable = &yes
		}
		for _, t := range l.History {
			ask.History = append(ask.History, t.message())
		}
		set.Questions = append(set.Questions, ask)
	}
	if len(set.Docs) == 0 || len(set.Questions) == 0 {
		return nil, errors.New("a question set needs documents and questions")
	}
	return []Set{set}, nil
}
