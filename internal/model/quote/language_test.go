package quote

import (
	"encoding/json"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
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
		"told by common words": {[]string{"annulez la commande 4711 svp"}, nil, nil, "Je ne sais pas"},
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
