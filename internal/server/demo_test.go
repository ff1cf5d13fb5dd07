package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"parley"
	"parley/docs"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/sfus"
)

func TestMain(m *testing.M) {
	sfus.RunIfChild()
	dbs.MainWithoutLeaks(m)
}

// With a newer program, and so a newer manual, the demo trains only on the changed pages.
func TestDemoTrainsOnChangedPages(t *testing.T) {
	srv := testkit.Open(t)
	read := func(pages map[string]string) (agent parley.AgentID, names []string) {
		manual := fstest.MapFS{}
		for name, text := range pages {
			manual[name] = &fstest.MapFile{Data: []byte(text)}
		}
		d, err := srv.SetUpDemo(t.Context(), manual, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Runner.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := srv.DB.Sources(t.Context(), parley.AgentRef{Account: d.Account, Agent: d.Agent},
			store.SourceFilter{}, parley.PageRequest{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list.Items {
			names = append(names, string(s.ID))
		}
		return d.Agent, names
	}
	agent, first := read(map[string]string{"a.md": "# Keys\n\nA key opens.", "b.md": "# Limits\n\nTen."})
	same, second := read(map[string]string{"a.md": "# Keys\n\nA key opens.", "b.md": "# Limits\n\nEleven."})
	if same != agent || len(first) != 2 || len(second) != 2 || countCommonWords(first, second) != 1 {
		t.Errorf("first %v, then %v", first, second)
	}
}

// The history of the demo's agent says who has set it up.
func TestDemoIsSetUpByTheOperator(t *testing.T) {
	s := testkit.Open(t)
	manual := fstest.MapFS{"a.md": &fstest.MapFile{Data: []byte("# Keys\n\nA key opens.")}}
	d, err := s.SetUpDemo(t.Context(), manual, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := s.DB.AgentVersions(t.Context(), parley.AgentRef{Account: d.Account, Agent: d.Agent})
	if err != nil || len(versions) < 2 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	for _, v := range versions {
		if v.Version > 1 && v.Actor != "operator" { // the first is what was there before any change
			t.Errorf("version %d is of %q", v.Version, v.Actor)
		}
	}
}

func countCommonWords(a, b []string) (n int) {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				n++
			}
		}
	}
	return n
}

// Questions that customers of a shop would ask are not answered with examples of code from the manual; questions about
// code are.
func TestDemoQuotesCodeToThoseWhoAskForIt(t *testing.T) {
	s := testkit.Open(t)
	d, err := s.SetUpDemo(t.Context(), docs.Manual, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Runner.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for question, code := range map[string]string{
		"What are your opening hours?": "", "Where is my order?": "", "Can I get a refund?": "",
		"What does a manifest look like?": "agent:\n", "How do I create an account?": "parley ",
	} {
		var answer struct {
			Data struct{ Parts []struct{ Text string } }
		}
		s.Do(t, "POST", "/agents/"+string(d.Agent)+"/chat", d.Key,
			map[string]any{"message": question, "stream": false}).Decode(t, http.StatusOK, &answer)
		text := answer.Data.Parts[0].Text
		if code == "" && (strings.Contains(text, "```") || strings.Contains(text, "key: ")) || !strings.Contains(text, code) {
			t.Errorf("%q is answered %q", question, text)
		}
	}
}
