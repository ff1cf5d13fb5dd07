package quote

import (
	"encoding/json"
	"fmt"
	"parley/internal/model"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var formTools = []model.Tool{
	{Name: "sign_up", Triggers: []string{"sign me up for the newsletter"}, Parameters: inputSchemaOf(`"email","name"`,
		`"email":{"type":"string","format":"email"},"name":{"type":"string"},"phone":{"type":"string"},`+
			`"age":{"type":"integer"}`)},
	{Name: "pizza", Triggers: []string{"order a {size} pizza"}, Parameters: inputSchemaOf(`"size","count","olives"`,
		`"size":{"type":"string","enum":["small","large","extra large"]},"count":{"type":"integer"},`+
			`"olives":{"type":"boolean"}`)},
	{Name: "ticket", Triggers: []string{"open a ticket"},
		Parameters: inputSchemaOf(`"message"`, `"message":{"type":"string"}`)},
	{Name: "call_back", Triggers: []string{"call me back"},
		Parameters: inputSchemaOf(`"phone"`, `"phone":{"type":"string"}`)},
	{Name: "reset", Triggers: []string{"reset my password"},
		Parameters: inputSchemaOf(`"email"`, `"email":{"type":"string"}`)},
}

func TestInputs(t *testing.T) {
	for message, want := range map[string]string{
		"Sign me up for the newsletter: ann@example.com, my name is Ann Smith": `sign_up ` +
			`{"email":"ann@example.com","name":"Ann Smith"}`,
		"I'm Ann. Sign me up for your newsletter (ann@example.com, +49 170 1234567)": `sign_up ` +
			`{"email":"ann@example.com","name":"Ann","phone":"+49 170 1234567"}`,
		"ich heiße Jürgen Groß, sign me up for the newsletter! jg@example.de": `sign_up ` +
			`{"email":"jg@example.de","name":"Jürgen Groß"}`,
		"Me llamo Ana. Sign me up for the newsletter, ana@example.es":     `sign_up {"email":"ana@example.es","name":"Ana"}`,
		"Je m'appelle Zoé, sign me up for the newsletter: zoe@example.fr": `sign_up {"email":"zoe@example.fr","name":"Zoé"}`,
		"Sign me up for the newsletter":                                   "To go on I need: email, name.",
		"Sign me up for the newsletter, I am waiting":                     "To go on I need: email, name.",
		"I want to order a large pizza":                                   "To go on I need: count, olives.",
		"order an EXTRA LARGE pizza":                                      "To go on I need: count, olives.",
		"order a pizza": "To go on I need: size (small, large, " +
			"extra large), count, olives.",
		"Call me back on 030 1234567":             `call_back {"phone":"030 1234567"}`,
		"reset my password, I am ann@example.com": `reset {"email":"ann@example.com"}`,
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: formTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// lastToolCall lets the model ask and the user answer.
func lastToolCall(t *testing.T, tools []model.Tool, texts ...string) (last string) {
	t.Helper()
	var req model.Request
	req.Tools = tools
	for _, text := range texts {
		req.Messages = append(req.Messages, model.Message{Role: "user", Text: text})
		last = calledTool(t, req)
		req.Messages = append(req.Messages, model.Message{Role: "assistant", Text: last})
	}
	return last
}

func TestMissingInputs(t *testing.T) {
	for name, c := range map[string]struct {
		tools []model.Tool
		texts []string
		want  string
	}{
		"a bare answer": {testTools, []string{"track my order", "12345"}, `track {"number":"12345"}`},
		"a sentence": {testTools, []string{"track my order", "My order number is A-77."},
			`track {"number":"A-77"}`},
		"another language": {testTools, []string{"Ich will meine Bestellung verfolgen", "Das ist die 4711"},
			`track {"number":"4711"}`},
		"text is taken whole": {formTools, []string{"open a ticket", "My screen is black. What can I do?"},
			`ticket {"message":"My screen is black. What can I do?"}`},
		"two at once": {formTools, []string{"sign me up for the newsletter", "Ann Smith, ann@example.com"},
			`sign_up {"email":"ann@example.com","name":"Ann Smith"}`},
		"one after the other": {formTools, []string{"sign me up for the newsletter", "ann@example.com",
			"Ann Smith"}, `sign_up {"email":"ann@example.com","name":"Ann Smith"}`},
		"one is still missing": {formTools, []string{"sign me up for the newsletter", "ann@example.com"},
			"To go on I need: name."},
		"types": {formTools, []string{"order a large pizza", "3", "yes please"},
			`pizza {"size":"large","count":3,"olives":true}`},
		"no is an answer": {formTools, []string{"order a large pizza", "3", "no"},
			`pizza {"size":"large","count":3,"olives":false}`},
		"a choice": {formTools, []string{"order a pizza", "Large, 2", "No"},
			`pizza {"size":"large","count":2,"olives":false}`},
		"not an address": {formTools, []string{"reset my password", "ann at example"}, "To go on I need: email."},
		"twice in vain":  {formTools, []string{"reset my password", "ann at example", "ann at example"}, ""},
		"at last": {formTools, []string{"reset my password", "ann at example", "ann@example.com"},
			`reset {"email":"ann@example.com"}`},
		"a question": {formTools, []string{"reset my password", "What do you need that for?"}, ""},
		"a remark":   {formTools, []string{"reset my password", "thanks"}, ""},
		"never mind": {formTools, []string{"reset my password", "never mind"}, ""},
		"another tool": {formTools, []string{"reset my password", "call me back on +49 170 1234567"},
			`call_back {"phone":"+49 170 1234567"}`},
		"the same tool again": {testTools, []string{"track my order", "track order 99"}, `track {"number":"99"}`},
		"only right after": {formTools,
			[]string{"reset my password", "What do you need that for?", "ann@example.com"}, ""},
		"masked in the earlier": {formTools, []string{"sign me up for the newsletter, [email]", "Ann Smith"},
			"To go on I need: email."},
		"masked, all over again": {[]model.Tool{contactTool}, []string{"contact me, [email]", "+49 170 1234567"},
			"To go on I need: email, phone."},
		"masked, in one message": {[]model.Tool{contactTool}, []string{"contact me, [email]", "[phone]",
			"a@b.co +49 170 1234567"}, `contact {"email":"a@b.co","phone":"+49 170 1234567"}`},
		"a mask is not an address": {formTools, []string{"reset my password", "[email]"}, "To go on I need: email."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lastToolCall(t, c.tools, c.texts...); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

var contactTool = model.Tool{Name: "contact", Triggers: []string{"contact me"},
	Parameters: inputSchemaOf(`"email","phone"`, `"email":{"type":"string"},"phone":{"type":"string"}`)}

func requestAfterTools(text string, results ...string) model.Request {
	req := model.Request{Messages: userMessages(text), Tools: testTools}
	m := model.Message{Role: "assistant"}
	for i := range results {
		m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: fmt.Sprint("c", i), Name: "track", Input: json.RawMessage(`{}`)})
	}
	req.Messages = append(req.Messages, m)
	for i, r := range results {
		req.Messages = append(req.Messages, model.Message{Role: "tool", ToolCallID: fmt.Sprint("c", i), Text: r})
	}
	return req
}

func TestResults(t *testing.T) {
	for result, want := range map[string]string{
		`{"status":"success","data":{"message":"It is on  its way.","x":1}}`: "It is on  its way.",
		`{"status":"success","data":"Ready."}`:                               "Ready.",
		`{"status":"success","data":{"status":"shipped","eta":{"days":2,"sure":true},"none":null,"tags":["a",` +
			`"b"],"items":[{"sku":"A"},{"sku":"B"}]}}`: "status: shipped\neta.days: 2\neta.sure: true\ntags: a, " +
			"b\nitems.1.sku: A\nitems.2.sku: B",
		`{"status":"success"}`:                                      "Done.",
		`{"status":"success","data":{}}`:                            "Done.",
		`{"status":"success","data":7}`:                             "7",
		`{"status":"error"}`:                                        "That did not work.",
		`{"status":"error","error":"The server is  down"}`:          "That did not work: The server is down.",
		`{"status":"ignored"}`:                                      "That was not done: no result came.",
		`{"temperature":21}`:                                        "temperature: 21",
		`just text`:                                                 "just text",
		`{"status":"success","data":{"a":12345678901234567890.10}}`: "a: 12345678901234567890.10",
	} {
		s := streamReply(t, requestAfterTools("track order 5", result))
		if s.text != want || s.finish.Reason != "stop" || s.finish.Score != nil || s.finish.IsRefusal ||
			len(s.citations) > 0 {
			t.Errorf("%s: %q %+v", result, s.text, s.finish)
		}
	}
	if s := streamReply(t, requestAfterTools("Bitte die Bestellung 5 verfolgen", `{"status":"success"}`,
		`{"status":"error","error":"weg"}`)); s.text != "Erledigt.\n\nDas hat nicht geklappt: weg." {
		t.Errorf("%q", s.text)
	}
}

func TestLongResults(t *testing.T) {
	var fields []string
	for i := range 30 {
		fields = append(fields, fmt.Sprintf(`"f%d":"ü%s"`, i, strings.Repeat("x", i)))
	}
	s := streamReply(t, requestAfterTools("track order 5", `{"status":"success","data":{`+strings.Join(fields, ",")+`}}`))
	if lines := strings.Split(s.text, "\n"); len(lines) != 20 || lines[19] != "…" {
		t.Errorf("%q", s.text)
	}
	for _, data := range []string{`{"a":"b","long":"` + strings.Repeat("ü", 5000) + `"}`,
		`{"long":"` + strings.Repeat("ü", 5000) + `"}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000)} {
		if s := streamReply(t, requestAfterTools("track order 5",
			`{"status":"success","data":`+data+`}`)); len(s.text) > 2000 || !utf8.ValidString(s.text) {
			t.Errorf("%d bytes", len(s.text))
		}
	}
}

// A call ends the answer; passages lose against a trigger and answer if there is none.
func TestToolsAndPassages(t *testing.T) {
	var got []model.Chunk
	for c, err := range (Model{}).Stream(t.Context(), model.Request{Messages: userMessages("track order 5"),
		Tools: testTools, Passages: passagesOf("Track order 5: you track an order on the page Orders.")}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if len(got) != 2 || got[0].ToolCall == nil || got[0].ToolCall.Name != "track" || got[1].Finish == nil ||
		got[1].Finish.Reason != "tool-calls" || got[1].Finish.Score != nil {
		t.Errorf("%+v", got)
	}
	for _, question := range []string{"How do I export my photos?", "Hello!", "What is the capital of France?"} {
		req := model.Request{Messages: userMessages(question), Passages: passagesOf(exportPage, billingPage)}
		plain := streamReply(t, req)
		if req.Tools = testTools; streamReply(t, req).text != plain.text {
			t.Errorf("%q is answered otherwise beside tools", question)
		}
	}
}

func FuzzTools(f *testing.F) {
	f.Add("track order {number}", `{"properties":{"number":{"type":"string"}},"required":["number"]}`, "track my order",
		"12")
	f.Add("{a} x {b}", `{"properties":{"a":{"type":"integer"},"b":{"enum":["x",1]}},"required":["a","b","c"]}`, "1 x 2",
		"{\"status\":\"success\",\"data\":[{}]}")
	f.Add("转{a}人工", `{"properties":{"a":{"type":["string","null"]}}}`, "我想转x人工。", "[")
	f.Add("track order {n}",
		`{"properties":{"n":{"description":"the order number"},"z":{"description":"postcode"}},"required":["n","z"]}`,
		"track my order", "12")
	f.Fuzz(func(t *testing.T, phrase, schema, first, second string) {
		tools := []model.Tool{{Name: "t", Triggers: []string{phrase}, Parameters: json.RawMessage(schema)}}
		req := model.Request{Tools: tools, Messages: []model.Message{{Role: "user", Text: first}}}
		r := answerRequest(t.Context(), req)
		if r.toolCall != nil && !json.Valid(r.toolCall.Input) {
			t.Errorf("%s", r.toolCall.Input)
		}
		if w, ok := startCallDraft(tools, first); ok && r.toolCall == nil &&
			r.text == inputQuestion(w.replyLanguage(req), w.missingInputs()) {
			missing := w.missingInputs()
			if parsed, ok := w.parseRequestedInputs(r.text); !slices.ContainsFunc(missing, hasOddLabel) &&
				(!ok || len(parsed) != len(missing)) {
				t.Errorf("%q: %v, want %v", r.text, parsed, missing)
			}
		}
		req.Messages = append(req.Messages, model.Message{Role: "assistant", Text: r.text},
			model.Message{Role: "user", Text: second})
		if r = answerRequest(t.Context(), req); r.toolCall != nil && !json.Valid(r.toolCall.Input) {
			t.Errorf("%s", r.toolCall.Input)
		}
		req.Messages = append(req.Messages, model.Message{Role: "tool", Text: second})
		answerRequest(t.Context(), req).chunks(req)
	})
}

// hasOddLabel reports whether there is an input whose label is empty, or looks like a list itself.
func hasOddLabel(in toolInput) bool {
	return in.label() == "" || strings.ContainsAny(in.label(), ",、،")
}

func TestAProcedureThatWaitsGoesOn(t *testing.T) {
	tools := []model.Tool{{Name: "complain", Triggers: []string{"I want to complain"},
		Parameters: inputSchemaOf(``, `"number":{"type":"integer"},"email":{"type":"string"}`)}, formTools[2]}
	for text, want := range map[string]string{
		"It is 77":                           `complain {"number":77}`,
		"77, and my mail is ann@example.com": `complain {"email":"ann@example.com","number":77}`,
		"never mind":                         "",
		"open a ticket":                      "To go on I need: message.",
	} {
		got := calledTool(t, model.Request{Tools: tools, Messages: []model.Message{
			{Role: "user", Text: "I want to complain"},
			{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "c1", Name: "complain", Input: json.RawMessage(`{}`)}}},
			{Role: "tool", ToolCallID: "c1",
				Text: `{"status":"success","data":{"needs":["number"],"message":"Please tell me: number."}}`},
			{Role: "assistant", Text: "Please tell me: number."},
			{Role: "user", Text: text},
		}})
		if want == "" && !strings.Contains(got, "complain {") || got == want {
			continue
		}
		t.Errorf("%q: %q, want %q", text, got, want)
	}
}

// One that has led to another is gone on with by calling that one.
func TestAProcedureThatWasLedToGoesOn(t *testing.T) {
	number := inputSchemaOf(``, `"number":{"type":"integer"}`)
	tools := []model.Tool{{Name: "return", Triggers: []string{"I want to return it"}, Parameters: number},
		{Name: "refund", Triggers: []string{"I want my money"}, Parameters: number}}
	got := calledTool(t, model.Request{Tools: tools, Messages: []model.Message{
		{Role: "user", Text: "I want to return it"},
		{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "c1", Name: "return", Input: json.RawMessage(`{}`)}}},
		{Role: "tool", ToolCallID: "c1", Text: `{"status":"success","data":{"needs":["number"],"procedure":"refund",` +
			`"message":"Please tell me: number."}}`},
		{Role: "assistant", Text: "Please tell me: number."},
		{Role: "user", Text: "It is 77"},
	}})
	if want := `refund {"number":77}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
