package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// TestAnnotationsCountCharacters checks that the indexes are those of characters, in whatever order sources are cited.
func TestAnnotationsCountCharacters(t *testing.T) {
	const text = "Früh. Spät."
	citations := []parley.Citation{
		{Name: "Late", URL: "https://shop.example/late", AnswerStart: 7, AnswerEnd: 13},
		{Name: "Early", AnswerStart: 0, AnswerEnd: 6, SourceID: "s1"},
		{Name: "All", URL: "https://shop.example/", AnswerStart: 0, AnswerEnd: 13},
	}
	want := []Annotation{{"url_citation", URLCitation{6, 11, "https://shop.example/late", "Late"}},
		{"url_citation", URLCitation{0, 11, "https://shop.example/", "All"}}}
	if diff := cmp.Diff(want, newAnnotations(text, citations)); diff != "" {
		t.Error(diff)
	}
	inResponse := []any{urlAnnotation{"url_citation", 6, 11, "https://shop.example/late", "Late"},
		fileAnnotation{"file_citation", "s1", "Early", 5},
		urlAnnotation{"url_citation", 0, 11, "https://shop.example/", "All"}}
	if diff := cmp.Diff(inResponse, newTextAnnotations(text, citations)); diff != "" {
		t.Error(diff)
	}
}
