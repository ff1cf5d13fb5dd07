package oauth

import (
	"net/http/httptest"
	"reflect"
	"testing"
)

// TestPageHasAllTexts checks that no language lacks a text, and which one a browser gets.
func TestPageHasAllTexts(t *testing.T) {
	for language, texts := range loadWords() {
		value := reflect.ValueOf(texts)
		for i := range value.NumField() {
			if value.Field(i).String() == "" {
				t.Errorf("%s lacks %s", language, value.Type().Field(i).Name)
			}
		}
	}
	for accepted, want := range map[string]string{"": "en", "xx": "en", "de-AT,en;q=0.5": "de", "xx, pt;q=0.9": "pt-BR",
		"ar": "ar", "JA": "ja"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header.Set("Accept-Language", accepted)
		if got := wordsFor(r); got.Language != want || (got.Direction == "rtl") != (want == "ar") {
			t.Errorf("%q gets %s", accepted, got.Language)
		}
	}
}
