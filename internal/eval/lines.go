package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"parley"
)

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

// historyMessage is something said before the question: a text of the user, or an object with its role.
type historyMessage struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

func (t *historyMessage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		t.Role = "user"
		return json.Unmarshal(b, &t.Text)
	}
	type plain historyMessage
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	if t.Role != "user" && t.Role != "assistant" {
		return fmt.Errorf("history: the role %q is neither user nor assistant", t.Role)
	}
	return nil
}

func (t *historyMessage) toMessage() parley.Message {
	if t.Role == "user" {
		return newMessage(parley.AuthorUser, t.Text)
	}
	return newMessage(parley.AuthorAssistant, t.Text)
}

// readOwnFormat reads JSON Lines of questions and documents, in one file or in several.
func readOwnFormat(_ fs.FS, files []file) ([]Set, error) {
	mine := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !f.hasMembers("id", "question") && !f.hasMembers("id", "text") })
	lines, err := decodeRecords[jsonlRecord](mine)
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
