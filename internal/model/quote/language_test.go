package quote

import (
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/text/dictionary"
	"parley/internal/text/words"
)

func TestTriggersInSeveralLanguages(t *testing.T) {
	for message, want := range map[string]string{
		"annulez la commande 4711 svp":    `cancel {"number":"4711"}`,
		"Annulez ma commande 4711":        `cancel {"number":"4711"}`,
		"vorrei annullare l'ordine 4711":  `cancel {"number":"4711"}`,
		"Annullate l'ordine 4711":         `cancel {"number":"4711"}`,
		"cancele o pedido 4711 por favor": `cancel {"number":"4711"}`,
		"Cancela el pedido 4711":          `cancel {"number":"4711"}`,
		"annulez la commande":             "Pour continuer, j'ai besoin de : number.",
		"vorrei annullare l'ordine":       "Per continuare ho bisogno di: number.",
		"cancelar pedido":                 "Para continuar necesito: number.",
		"cancel order":                    "To go on I need: number.",
		"J'ai annulé la commande 4711":    "",
		"Ho annullato l'ordine 4711":      "",
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: orderTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestLanguageOfRefusals(t *testing.T) {
	english := scoredPassages(parley.Passage{Heading: "Hours",
		Text: "The shop is open from Monday to Friday, from 9 to 17."})
	german := scoredPassages(parley.Passage{Heading: "Zeiten",
		Text: "Der Laden ist von Montag bis Freitag geöffnet, und das von 9 bis 17 Uhr."})
	for name, c := range map[string]struct {
		messages []string
		passages []model.Passage
		tools    []model.Tool
		want     string
	}{
		"a bare address": {[]string{"ann@example.com"}, nil, nil, "I don't know"},
		"said before":    {[]string{"Wo ist der Laden?", "ann@example.com"}, english, nil, "weiß ich nicht"},
		"said last": {[]string{"Where is the shop?", "Wo ist der Laden?", "ann@example.com"}, english, nil,
			"weiß ich nicht"},
		"the passages":     {[]string{"ann@example.com"}, german, nil, "weiß ich nicht"},
		"English passages": {[]string{"zoe8@example.com"}, english, nil, "I don't know"},
		"the tools": {[]string{"ann@example.com"}, nil,
			[]model.Tool{{Name: "x", Description: "Sagt, wann der Laden offen ist."}}, "weiß ich nicht"},
		"its own": {[]string{"Wo ist der Laden?", "Is there a cinema?"}, foreignPassages(german), nil,
			"I don't know"},
		"told by common words": {[]string{"annulez la commande 4711 svp"}, nil, nil, "rien trouvé dans mes sources sur 4711"},
	} {
		t.Run(name, func(t *testing.T) {
			if s := streamReply(t, model.Request{Messages: userMessages(c.messages...), Passages: c.passages,
				Tools: c.tools}); !strings.Contains(s.text, c.want) {
				t.Errorf("%q, want %q", s.text, c.want)
			}
		})
	}
}

// The language of a question for inputs is that of what was said before where the message shows none.
func TestLanguageOfQuestions(t *testing.T) {
	tools := []model.Tool{{Name: "ping", Triggers: []string{"ping {host}"},
		Parameters: inputSchemaOf(`"host"`, `"host":{"type":"string"}`)}}
	for first, want := range map[string]string{"Wo ist der Laden?": "Um fortzufahren, brauche ich: host.",
		"Where is it?": "To go on I need: host."} {
		if got := calledTool(t, model.Request{Messages: userMessages(first, "ping"), Tools: tools}); got != want {
			t.Errorf("%q: %q", first, got)
		}
	}
}

// messagesAfterTools are ways in which a message goes to a tool before an ordinary question.
func messagesAfterTools() map[string][]model.Message {
	call := func(text, result, answer string) []model.Message {
		return []model.Message{{Role: "user", Text: text},
			{Role: "assistant",
				ToolCalls: []model.ToolCall{{ID: "c1", Name: "track", Input: json.RawMessage(`{"number":"4711"}`)}}},
			{Role: "tool", ToolCallID: "c1", Text: result}, {Role: "assistant", Text: answer}}
	}
	question := []model.Message{{Role: "user", Text: "track my order"},
		{Role: "assistant", Text: "To go on I need: number."}}
	return map[string][]model.Message{
		"a call": call("track order 4711", `{"status":"success","data":{"message":"It is on its way."}}`,
			"It is on its way."),
		"a failed call": call("track order 4711", `{"status":"error","error":"down"}`, "That did not work: down."),
		"words first": append([]model.Message{{Role: "user", Text: "track order 4711"},
			{Role: "assistant", Text: "One moment."}},
			call("track order 4711", `{}`, "Done.")[1:]...),
		"needs": call("I want to complain", `{"status":"success","data":{"needs":["number"]}}`,
			"Please tell me: number."),
		"a question":      question,
		"a question, met": append(question[:2:2], call("4711", `{"status":"success"}`, "Done.")...),
		"given up": append(question[:2:2], model.Message{Role: "user", Text: "never mind"},
			model.Message{Role: "assistant", Text: "…"}),
	}
}

func TestOrdersAreNoEarlierQuestions(t *testing.T) {
	hours := scoredPassages(parley.Passage{Heading: "Hours",
		Text: "The shop is open from Monday to Friday, from 9 to 17."},
		parley.Passage{Heading: "Orders",
			Text: "You track an order on the page Orders. An order takes three days to complete."})
	last := model.Message{Role: "user", Text: "When are you open?"}
	plain := streamReply(t, model.Request{Messages: []model.Message{last}, Passages: hours, Tools: testTools})
	if !strings.Contains(plain.text, "from 9 to 17") {
		t.Fatalf("%q", plain.text)
	}
	for name, before := range messagesAfterTools() {
		s := streamReply(t, model.Request{Messages: append(before, last), Passages: hours, Tools: testTools})
		if s.text != plain.text || *s.finish.Score != *plain.finish.Score {
			t.Errorf("%s: %q %v, want %v", name, s.text, *s.finish.Score, *plain.finish.Score)
		}
	}
	all := sourceQuestions(append([]model.Message{{Role: "user", Text: "one"}, {Role: "assistant", Text: "1"}},
		append(messagesAfterTools()["a call"], last)...))
	if strings.Join(all, "|") != "one|When are you open?" {
		t.Errorf("%q", all)
	}
}

func schemaWithDescription(description string) string {
	return `{"type":"string","description":` + string(jsonString(description)) + `}`
}

func TestInputsAreAskedForByTheirDescriptions(t *testing.T) {
	tool := func(properties string) []model.Tool {
		return []model.Tool{{Name: "t", Triggers: []string{"track my order"},
			Parameters: inputSchemaOf(`"number","zip"`, properties)}}
	}
	long := strings.Repeat("very ", 12) + "long"
	for name, c := range map[string]struct{ number, zip, want string }{
		"both": {"the order number", "Your postcode.", "To go on I need: the order number, Your postcode."},
		"commas": {"the order number, as on the bill, please", "the order number",
			"To go on I need: the order number, as on the bill, please, the order number."},
		"a common start": {"the code", "the code, again", "To go on I need: the code, the code, again."},
		"long": {long, "ü" + strings.Repeat("x", 59),
			"To go on I need: number, ü" + strings.Repeat("x", 59) + "."},
		"lines":          {"the\nnumber", " ", "To go on I need: number, zip."},
		"alike":          {"a number", "a number", "To go on I need: number, zip."},
		"another's name": {"zip", "", "To go on I need: number, zip."},
		"personal data":  {"like ann@example.com", "", "To go on I need: number, zip."},
		"choice of words": {"the order number (A-1)", "postcode: 5 digits",
			"To go on I need: the order number (A-1), postcode: 5 digits."},
	} {
		tools := tool(`"number":` + schemaWithDescription(c.number) + `,"zip":` + schemaWithDescription(c.zip))
		if got := lastToolCall(t, tools, "track my order"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := lastToolCall(t, tools, "track my order", "what is that?"); got != "" {
			t.Errorf("%s: a question is answered with %q", name, got)
		}
		w, ok := startCallDraft(tools, "track my order")
		if parsed, read := w.parseRequestedInputs(c.want); !ok || !read || len(parsed) != 2 {
			t.Errorf("%s: %v is read of the question", name, parsed)
		}
	}
	one := []model.Tool{{Name: "track", Triggers: []string{"track my order"},
		Parameters: inputSchemaOf(`"number"`, `"number":`+schemaWithDescription("the order number"))},
		{Name: "odd", Triggers: []string{"odd"}, Parameters: inputSchemaOf(`"x"`, `"x":{"description":5}`)}}
	if got := lastToolCall(t, one, "track my order", "4711"); got != `track {"number":"4711"}` {
		t.Errorf("%q", got)
	}
	if got := lastToolCall(t, one, "odd"); got != "To go on I need: x." {
		t.Errorf("%q", got)
	}
}

func translatedPassages(translations map[string][]string, texts ...string) (all []model.Passage) {
	byWord := map[string][]dictionary.Equivalents{}
	for word, list := range translations {
		byWord[word] = []dictionary.Equivalents{{Language: words.English, Words: list}}
	}
	for i, text := range texts {
		all = append(all, model.Passage{Passage: parley.Passage{ID: parley.PassageID(text[:8]), End: len(text), Text: text},
			Score: 0.9 - 0.3*float64(i), Translations: byWord, TermWeights: map[string]float64{},
			Signals: model.MatchSignals{Letters: 0.05, Words: 0.6, Stretch: 0.9 - 0.5*float64(i), Lead: 0.4}})
	}
	return all
}

const (
	returnsText = "You can return a parcel within thirty days of its delivery. The label is in the box."
	gardenText  = "Dogs are welcome in the garden. The house is closed to them."
)

func TestAnswersInAnotherLanguageSayIt(t *testing.T) {
	for _, c := range []struct {
		question, want, note string
		translations         map[string][]string
	}{
		{"Wie lange kann ich ein Paket zurückgeben?", "You can return a parcel within thirty days of its delivery.",
			"Meine Quelle dazu ist in einer anderen Sprache.",
			map[string][]string{"paket": {"package", "parcel"}, "zuruckgeben": {"return"}}},
		{"¿Cuándo puedo devolver el paquete?", "You can return a parcel within thirty days of its delivery.",
			"Mi fuente sobre esto está en otro idioma.",
			map[string][]string{"paquete": {"parcel"}, "devolver": {"return", "give"}}},
	} {
		req := model.Request{Messages: userMessages(c.question),
			Passages: translatedPassages(c.translations, returnsText, gardenText)}
		s := streamReply(t, req)
		if s.finish.IsRefusal || !strings.HasPrefix(s.text, c.note) || !strings.Contains(s.text, c.want) ||
			len(s.citations) == 0 {
			t.Errorf("%s: %q", c.question, s.text)
		}
		for _, q := range s.citations {
			p := req.Passages[q.PassageIndex].Text
			if p[q.Start:q.End] != s.text[q.AnswerStart:q.AnswerEnd] {
				t.Errorf("%s: cites %q for %q", c.question, p[q.Start:q.End], s.text[q.AnswerStart:q.AnswerEnd])
			}
		}
	}
}

// What no dictionary has is refused as before, and so is what the passages do not hold.
func TestTranslatedQuestionsAreRefusedWithoutAnAnswer(t *testing.T) {
	passages := translatedPassages(map[string][]string{"wer": nil, "decke": {"ceiling", "blanket"}, "malte": {"painted"}},
		returnsText, gardenText)
	for i := range passages {
		passages[i].Signals = model.MatchSignals{Letters: 0.02, Words: 0.05, Stretch: 0.05}
	}
	s := streamReply(t, model.Request{Messages: userMessages("Wer malte die Decke der Kapelle?"), Passages: passages})
	if !s.finish.IsRefusal {
		t.Errorf("%q", s.text)
	}
}
