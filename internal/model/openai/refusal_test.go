package openai_test

import (
	"strings"
	"testing"

	"parley/internal/model"
	"parley/internal/testkit/provider"
)

// A model's "I do not know" is recognised in the supported languages; advice, answers with evidence and long answers
// are not.
func TestRefusals(t *testing.T) {
	passages := []model.Passage{provider.NewPassage("Export", "Open the menu. Choose “Export”, then wait.", 100)}
	for text, want := range map[string]bool{
		"I'm sorry, but I don’t know. Please contact support.":       true,
		"Unfortunately the sources do not mention a student price.":  true,
		"Das weiß ich leider nicht.":                                 true,
		"Dazu habe ich keine Angaben gefunden.":                      true,
		"Lo siento, no lo sé.":                                       true,
		"Désolé, je ne sais pas.":                                    true,
		"Mi dispiace, non lo so.":                                    true,
		"Desculpe, não sei.":                                         true,
		"К сожалению, я не знаю.":                                    true,
		"عذرًا، لا أعرف.":                                            true,
		"抱歉，我不知道。":                                                   true,
		"申し訳ありませんが、わかりません。":                                          true,
		"If you do not know your password, open the settings.":       false,
		"Open the menu [1]. I do not know the price.":                false,
		"Wenn Sie Ihr Passwort nicht wissen, öffnen Sie das Menü.":   false,
		"Hello! How can I help?":                                     false,
		"Wer nichts weiß, fragt. Öffnen Sie die Einstellungen dafür": false,
	} {
		req := model.Request{Messages: provider.HowRequest.Messages, Passages: passages}
		got := provider.ReadAnswer(t,
			newOpenAI(t, provider.Start(t, provider.AnswerText(strings.SplitAfter(text, " ")...))), req)
		if got.Err != nil || got.Finish.IsRefusal != want {
			t.Errorf("%q: refused %v, %v", text, got.Finish.IsRefusal, got.Err)
		}
	}
}
