package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/synonym"
	"parley/internal/testkit"
)

var shopTexts = []string{
	"# Payment\n\n## Pay an invoice\n\nYou can pay an invoice by card or by bank transfer within fourteen days.",
	"# Delivery\n\n## Track a parcel\n\nYou can track a parcel with the number in the confirmation mail.",
	"# Account\n\n## Close an account\n\nYou can close an account in the settings, under Security.",
	"# Hours\n\nThe shop in Hamburg is open from nine to six, from Monday to Saturday.",
}

func synonymTest(t *testing.T, f func(t *testing.T, srv *testkit.Server, agent string)) {
	run := func(t *testing.T, srv *testkit.Server) { f(t, srv, srv.NewAgent(t, srv.Key, shopTexts...)) }
	t.Run("sqlite", func(t *testing.T) { run(t, testkit.Open(t)) })
	t.Run("postgres", func(t *testing.T) { run(t, testkit.Open(t, testkit.WithPostgres())) })
}

// addOpenQuestions stores questions that were not answered, the last one newest.
func addOpenQuestions(t *testing.T, srv *testkit.Server, agent string, questions ...string) {
	t.Helper()
	in := &parley.Insight{ConversationID: parley.ConversationID(parley.NewTimedUUID()),
		AccountID: parley.AccountID(srv.Account), AgentID: parley.AgentID(agent)}
	for i, text := range questions {
		in.Questions = append(in.Questions, parley.OpenQuestion{Seq: int64(i + 1), Text: text,
			AskedAt: time.UnixMilli(1790000000000 + int64(i))})
	}
	if err := srv.DB.SaveOpenQuestions(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func proposeSynonyms(t *testing.T, srv *testkit.Server, agent string) synonym.Proposals {
	t.Helper()
	out, err := admin.RunOn(t.Context(), srv.AdminService, admin.ProposeSynonyms, admin.AgentRef{ID: agent})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func isRefused(t *testing.T, srv *testkit.Server, agent, question string) bool {
	t.Helper()
	var reply struct {
		Data struct {
			Metadata struct{ Citations []struct{} }
		}
	}
	srv.Do(t, "POST", "/agents/"+agent+"/chat", srv.Key, map[string]any{"message": question}).Decode(t, http.StatusOK,
		&reply)
	return len(reply.Data.Metadata.Citations) == 0
}

// A word that no source holds is proposed beside the word of the sources that answers the questions. Once it is
// accepted they are answered, and it is not proposed again.
func TestSynonymsAreProposedAndAccepted(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?", "Can I pay the factura later?",
			"how can I pay a Factura?",
			"How do I close my membership?", "Where do I close a membership?", "How do I close a door?",
			"Who painted the ceiling of the chapel?", "Zyx?", "", "Can I track a parcel?")
		got := proposeSynonyms(t, srv, agent)
		if len(got.Proposals) != 2 || got.Questions != 10 || got.Withheld ||
			!slices.Equal(got.Proposals[1].Words, []string{"membership", "account"}) {
			t.Fatalf("%+v", got)
		}
		first := got.Proposals[0]
		if !slices.Equal(first.Words, []string{"factura", "invoice"}) || first.Questions != 3 || len(first.Answers) == 0 {
			t.Fatalf("%+v", first)
		}
		for _, a := range first.Answers {
			if !strings.Contains(a.Answer, "pay an invoice by card") || a.Source != "Text" ||
				!strings.Contains(strings.ToLower(a.Question), "factura") {
				t.Errorf("%+v", a)
			}
		}
		if again := proposeSynonyms(t, srv, agent); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%+v, and then %+v", got, again)
		}
		if !isRefused(t, srv, agent, first.Answers[0].Question) {
			t.Fatal("answered without the synonyms")
		}
		in := admin.NewSynonyms{AgentID: agent, Words: first.Words}
		groups, err := admin.RunOn(t.Context(), srv.AdminService, admin.AcceptSynonyms, in)
		if err != nil || fmt.Sprint(groups.Groups) != "[[factura invoice]]" {
			t.Fatalf("%v %v", groups, err)
		}
		if isRefused(t, srv, agent, first.Answers[0].Question) {
			t.Error("not answered with the synonyms")
		}
		left := proposeSynonyms(t, srv, agent)
		if len(left.Proposals) != 1 || left.Proposals[0].Words[0] != "membership" {
			t.Errorf("%+v is left", left)
		}
	})
}

// A word that answered questions have as well is not what keeps others from an answer.
func TestWordsOfAnsweredQuestionsAreNotProposed(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?", "Can I pay the factura later?")
		if got := proposeSynonyms(t, srv, agent); len(got.Proposals) != 1 {
			t.Fatalf("%+v", got)
		}
		for range 2 {
			if isRefused(t, srv, agent, "Please, factura: can I track a parcel with the number?") {
				t.Fatal("the other question is not answered")
			}
		}
		if got := proposeSynonyms(t, srv, agent); len(got.Proposals) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// Questions of an agent that masks personal data do not show up, those that were kept before neither.
func TestNoSynonymsAreProposedOfHiddenQuestions(t *testing.T) {
	synonymTest(t, func(t *testing.T, srv *testkit.Server, agent string) {
		addOpenQuestions(t, srv, agent, "How can I pay a factura?")
		ref := parley.AccountID(srv.Account).AgentRef(parley.AgentID(agent))
		if err := srv.DB.UpdateAgent(t.Context(), ref, func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := proposeSynonyms(t, srv, agent); !got.Withheld || got.Questions != 0 || len(got.Proposals) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// What the settings of an agent take for a group, accepting takes too.
func TestSynonymGroupsAreChecked(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key)
	accept := func(group ...string) error {
		_, err := admin.RunOn(t.Context(), srv.AdminService, admin.AcceptSynonyms, admin.NewSynonyms{AgentID: agent,
			Words: group})
		return err
	}
	for _, group := range [][]string{nil, {"alone"}, {"alone", "Alone"}, {"bill", ""}, {"bill", strings.Repeat("x", 101)},
		strings.Fields("a b c d e f g h i j k")} {
		if err := accept(group...); !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("%q: %v", group, err)
		}
	}
	for range 2 { // the same again changes nothing
		if err := accept("bill", "invoice"); err != nil {
			t.Fatal(err)
		}
	}
	out, err := admin.RunOn(t.Context(), srv.AdminService, admin.ExportAgent, admin.ManifestQuery{ID: agent})
	text, _ := json.Marshal(out)
	if err != nil || !strings.Contains(string(text), `bill`) {
		t.Errorf("%v %s", err, text)
	}
}

// The work has a bound, however many questions stay without an answer.
func TestProposalsOfManyQuestions(t *testing.T) {
	srv := testkit.Open(t)
	agent := srv.NewAgent(t, srv.Key, shopTexts...)
	var questions []string
	for i := range 300 {
		word := fmt.Sprintf("thing%c%c", 'a'+i%26, 'a'+i/26)
		questions = append(questions, "How can I pay a "+word+"?", "Can I pay the "+word+" later?")
	}
	addOpenQuestions(t, srv, agent, questions...)
	if got := proposeSynonyms(t, srv, agent); got.Questions != 500 || len(got.Proposals) == 0 || len(got.Proposals) > 20 {
		t.Errorf("%d questions, %d proposals", got.Questions, len(got.Proposals))
	}
}
