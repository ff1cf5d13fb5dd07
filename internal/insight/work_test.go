//go:build unix

package insight

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/hostile"
)

// The time to analyze a conversation is linear in the size of its messages.
func TestWork(t *testing.T) {
	growth := newTopicTree([]parley.Topic{{Name: "Opening hours", Keywords: []string{"when do you open", "a b c"},
		Examples: []string{"When do you open?"}}})
	hostile.Readers(t, map[string]func(text string){
		"sentiment":  func(text string) { sentimentOf([]string{text}) },
		"title":      func(text string) { titleOf(questions(newTalk(text))) },
		"terms":      func(text string) { termsOf(text); featuresOf(text); isOnlyMood(text) },
		"topic":      func(text string) { growth.find(text) },
		"outcome":    func(text string) { outcomeOf(newTalk(text), false, 0); openQuestions(newTalk(text)) },
		"topic told": func(text string) { topicText(newTalk(text)) },
	})
}

func newTalk(text string) []store.Utterance {
	return []store.Utterance{{Author: parley.AuthorUser, Seq: 1, Text: text},
		{Author: parley.AuthorAssistant, Seq: 2, Text: text + "?"}}
}

// A keyword that repeats a word is searched for in linear time as well.
func TestWorkOfKeywords(t *testing.T) {
	phrase := append(strings.Fields(strings.Repeat("bye ", 100)), "now")
	hostile.RequireLinear(t, 16<<10, hostile.Made("one word", "", "bye ", ""), func(text string) {
		if containsPhrase(strings.Fields(text), phrase) {
			t.Error("a phrase is found whose last word is missing")
		}
	})
	for text, want := range map[string]bool{"a b c": true, "a x b y z c": true, "a x y z b c": false,
		"a a x x b c": true, "b c": false, "a b": false} {
		if got := containsPhrase(strings.Fields(text), []string{"a", "b", "c"}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzWork(f *testing.F) {
	f.Add("Not good, but very cheap! ")
	f.Add("a, b. c! ")
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) {
			sentimentOf([]string{text})
			titleOf(questions(newTalk(text)))
			isOnlyMood(text)
		})
	})
}

// A question whose answer is in doubt is an open one, though the answer cites a source.
func TestAnswersInDoubtLeaveQuestionsOpen(t *testing.T) {
	talk := newTalk("How do I export invoices?")
	talk[1].HasCitations = true
	if open := openQuestions(talk); len(open) != 0 {
		t.Errorf("answered: %+v", open)
	}
	talk[1].IsUnsure = true
	if open := openQuestions(talk); len(open) != 1 {
		t.Errorf("in doubt: %+v", open)
	}
}
