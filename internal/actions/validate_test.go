package actions

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

var numberInputs = []parley.ActionInput{{Name: "number", Type: "integer", Required: true},
	{Name: "note", Type: "string"}}

func newAction(kind parley.ActionKind, config string, inputs ...parley.ActionInput) *parley.Action {
	return &parley.Action{Key: "k", Kind: kind, Name: "tool", Description: "when", Config: json.RawMessage(config),
		Inputs: inputs, Enabled: true}
}

func TestValidDefinitions(t *testing.T) {
	for name, a := range map[string]*parley.Action{
		"http": newAction(parley.ActionHTTP,
			`{"url":"https://api.example.com/orders/{number}?k=${KEY}","method":"POST",`+
				`"headers":{"X-Key":"${KEY}"},"query":{"n":"{note}"},"body":{"a":["{number}",1]},`+
				`"response":["items[].name","[].x","a.b"],"timeout":2.5}`,
			numberInputs...),
		"plain":  newAction(parley.ActionHTTP, `{"url":"http://10.0.0.1:8080"}`),
		"client": newAction(parley.ActionClient, `{}`, numberInputs...), "nothing said": newAction(parley.ActionClient, ``),
		"leads": newAction(parley.ActionCollectLeads, `{"message":"Thanks"}`),
		"own form": newAction(parley.ActionCollectLeads, ``, parley.ActionInput{Name: "phone", Type: "string"},
			parley.ActionInput{Name: "size", Type: "string", Enum: []string{"S", "L"}}),
		"escalate": newAction(parley.ActionEscalate, `{}`),
		"search":   newAction(parley.ActionWebSearch, `{"sites":["docs.example.com"]}`),
		"button": newAction(parley.ActionCustomButton, `{"label":"Book","url":"https://a.example/{number}"}`,
			numberInputs...),
		"mail": newAction(parley.ActionCustomButton, `{"label":"Write","url":"mailto:a@example.com"}`),
	} {
		if err := ValidateAction(a); err != nil {
			t.Errorf("%s: %v %v", name, err, parley.AsError(err).Details)
		}
	}
}

func TestInvalidDefinitions(t *testing.T) {
	for _, c := range []struct {
		action *parley.Action
		paths  []string
	}{
		{&parley.Action{Kind: "http"}, []string{"config.url", "description", "key", "name"}},
		{newAction("robot", `{}`), []string{"kind"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example","colour":1}`), []string{"config.colour"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example","method":5}`), []string{"config.method"}},
		{newAction(parley.ActionHTTP, `[]`), []string{"config"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example"} {}`), []string{"config"}},
		{newAction(parley.ActionHTTP, `{"url":"ftp://a.example/"}`), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https:///x"}`), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https://u:p@a.example/"}`), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https://{number}.example/"}`, numberInputs...), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https://${HOST}/"}`), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example/{note}"}`, numberInputs...), []string{"config.url"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example/#{number}"}`, numberInputs...), []string{"config.url"}},
		{newAction(parley.ActionHTTP,
			`{"url":"https://a.example/{x}","query":{"q":"{y}"},"headers":{"A":"{z}"},"method":"PUT","body":{"b":["{w}"]}}`),
			[]string{"config.body.b.0", "config.headers.A", "config.query.q", "config.url"}},
		{newAction(parley.ActionHTTP,
			`{"url":"https://a.example","method":"get","timeout":31,"headers":{"Host":"x","A B":"x","C":"x\r\nD: `+
				`y"},"response":["","a..b","a[0]"]}`),
			[]string{"config.headers.A B", "config.headers.C", "config.headers.Host", "config.method",
				"config.response.0", "config.response.1", "config.response.2", "config.timeout"}},
		{newAction(parley.ActionHTTP, `{"url":"https://a.example","body":{}}`), []string{"config.body"}},
		{newAction(parley.ActionClient, `{"url":"x"}`), []string{"config.url"}},
		{newAction(parley.ActionCollectLeads, `{}`, parley.ActionInput{Name: "name", Type: "string"}), []string{"inputs"}},
		{newAction(parley.ActionCustomButton, `{"url":"javascript:alert(1)","label":"a\nb"}`),
			[]string{"config.label", "config.url"}},
		{newAction(parley.ActionCustomButton, `{"url":"https://a.example/${KEY}","label":"b"}`),
			[]string{"config", "config.url"}},
		{newAction(parley.ActionWebSearch, `{"sites":["https://a.example/"]}`), []string{"config.sites.0"}},
		{newAction(parley.ActionClient, ``, parley.ActionInput{Name: "1", Type: "string"}, parley.ActionInput{Name: "a",
			Type: "date"}, parley.ActionInput{Name: "a", Type: "integer", Enum: []string{"1"}}),
			[]string{"inputs.0.name", "inputs.1.type", "inputs.2.enum", "inputs.2.name"}},
	} {
		wantFaults(t, string(c.action.Config), ValidateAction(c.action), c.paths)
	}
	long := newAction(parley.ActionClient, "")
	long.Triggers = []string{"track {number}", ""}
	wantFaults(t, "triggers", ValidateAction(long), []string{"triggers.0", "triggers.1"})
}

func TestInvalidProcedures(t *testing.T) {
	track, page := *newAction(parley.ActionHTTP, `{}`, numberInputs...), *newAction(parley.ActionClient, `{}`)
	page.Key = "page"
	off := page
	off.Key, off.Kind, off.Enabled = "off", parley.ActionEscalate, false
	p := &parley.Procedure{Key: "p", Name: "p", Description: "d", Inputs: numberInputs, Steps: []parley.ProcedureStep{
		{Text: "Order {number}."}, {Action: "k", Input: map[string]string{"number": "{number}", "note": "about {number}"}}}}
	all := []parley.Action{track, page, off}
	if err := ValidateProcedure(p, all); err != nil {
		t.Error(err)
	}
	p.Steps = []parley.ProcedureStep{{}, {Text: "x", Action: "k"}, {Text: "{x}", Input: map[string]string{"a": "b"}},
		{Action: "none"}, {Action: "page"},
		{Action: "k", Input: map[string]string{"size": "1", "note": "{x} ${KEY}"}}, {Action: "off"}}
	wantFaults(t, "steps", ValidateProcedure(p, all),
		[]string{"steps.0", "steps.1", "steps.2.say", "steps.2.with", "steps.3.action", "steps.4.action",
			"steps.5.with.note", "steps.5.with.number", "steps.5.with.size", "steps.6.action"})
	p.Steps = nil
	wantFaults(t, "no steps", ValidateProcedure(p, all), []string{"steps"})
}

func wantFaults(t *testing.T, name string, err error, paths []string) {
	t.Helper()
	if !parley.IsCode(err, parley.CodeInvalidBody) {
		t.Errorf("%s: %v", name, err)
		return
	}
	got := map[string]bool{}
	for path := range parley.AsError(err).Details {
		got[path] = true
	}
	want := map[string]bool{}
	for _, path := range paths {
		want[path] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s\n%v", name, diff, parley.AsError(err).Details)
	}
}

func TestInputs(t *testing.T) {
	inputs := []parley.ActionInput{{Name: "s", Type: "string"}, {Name: "e", Type: "string", Enum: []string{"S", "L"}},
		{Name: "i", Type: "integer"},
		{Name: "n", Type: "number"}, {Name: "b", Type: "boolean"}, {Name: "r", Type: "string", Required: true}}
	for call, want := range map[string]string{
		`{"r":"x"}`: `{"r":"x"}`, `{"r":" x ","s":null,"other":1}`: `{"r":"x"}`,
		`{"r":5,"s":1042.50}`:                     `{"r":"5","s":"1042.50"}`,
		`{"r":"x","i":"42","n":"1.5","b":"true"}`: `{"b":true,"i":42,"n":1.5,"r":"x"}`,
		`{"r":"x","i":4.0,"e":"L"}`:               `{"e":"L","i":4.0,"r":"x"}`,
		`{"r":"a\u0000b"}`:                        `{"r":"ab"}`,
		`{}`:                                      "r is required", `{"r":"  "}`: "r is required", ``: "r is required",
		`[]`:                "the input is not a JSON object",
		`{"r":"x","i":1.5}`: "i must be an integer", `{"r":"x","i":"many"}`: "i must be an integer",
		`{"r":"x","n":"NaN"}`: "n must be a number",
		`{"r":"x","b":"yes"}`: "b must be true or false", `{"r":"x","e":"M"}`: "e must be one of: S, L",
		`{"r":{"a":1}}`: "r must be a text", `{"r":["x"]}`: "r must be a text",
	} {
		got := ""
		known, err := readAllInputs(inputs, json.RawMessage(call))
		if err != nil {
			got = err.Error()
		} else if raw, err := json.Marshal(known); err == nil {
			got = string(raw)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
	if got := string(Parameters(inputs[4:])); got != `{"additionalProperties":false,`+
		`"properties":{"b":{"type":"boolean"},"r":{"type":"string"}},"required":["r"],"type":"object"}` {
		t.Error(got)
	}
}

func TestTemplates(t *testing.T) {
	v := values{inputs: map[string]json.RawMessage{"n": json.RawMessage(`7`),
		"s": json.RawMessage(`"say \"${KEY}\" {n}"`)}, secrets: map[string]string{"KEY": "top"}}
	var template any
	if err := json.Unmarshal([]byte(`{"a":"{n}","b":"no. {n}","c":["{s}","{gone}",true,null],"d":"{gone}",`+
		`"e":"${KEY}","f":{"g":"x{gone}"},"h":"{}{ n }{\"n\"}"}`),
		&template); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(v.fillJSON(template))
	if want := `{"a":7,"b":"no. 7","c":["say \"${KEY}\" {n}",null,true,null],"e":"top","f":{"g":"x"},"h":"{}{ n ` +
		`}{\"n\"}"}`; err != nil ||
		string(got) != want {
		t.Errorf("%s %v", got, err)
	}
}

func TestReplyFieldsAreSelected(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte(`{"status":"ok","order":{"total":5,"secret":1},"items":[{"name":"a","id":1},`+
		`{"id":2},{"name":"b"}],"list":[[{"x":1}]],"no":null}`),
		&document); err != nil {
		t.Fatal(err)
	}
	for want, paths := range map[string][]string{
		`{"status":"ok"}`:       {"status"},
		`{"order":{"total":5}}`: {"order.total", "gone", "status.below", "order[].total"},
		`{"items":[{"name":"a"},{"name":"b"}],"order":{"secret":1,"total":5}}`: {"items[].name", "order", "order.total"},
		`{"list":[[{"x":1}]],"no":null}`:                                       {"list[][].x", "no"},
		`{}`:                                                                   {"gone"},
	} {
		picked, _ := newFieldTree(paths).pick(document)
		if got, _ := json.Marshal(picked); string(got) != want {
			t.Errorf("%v: got %s, want %s", paths, got, want)
		}
	}
	top, _ := newFieldTree([]string{"[].x"}).pick([]any{map[string]any{"x": 1, "y": 2}, 5})
	if got, _ := json.Marshal(top); string(got) != `[{"x":1}]` {
		t.Errorf("%s", got)
	}
}
