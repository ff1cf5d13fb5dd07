package insight_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/insight"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/scripted"
)

func TestQuietConversationIsAnalyzed(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("jo", "Hi there, where is my parcel? It was sent on Monday.")
		for range 3 {
			_, err := ti.service.Follow(ti)
			ti.Must(err)
			n, err := ti.runner.RunDue(ti)
			ti.Must(err)
			if in, err := ti.db.Insight(ti, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID)); n > 0 && in != nil ||
				err != nil {
				t.Fatal("it was analyzed while it was not quiet", err)
			}
			ti.clock.Advance(20 * time.Second)
			tc.addAnswer("On its way.").addMessage(parley.AuthorUser, "Great, that is very helpful, thank you!")
		}
		ti.runJobs()
		in := tc.insight()
		if tc.title() != "where is my parcel?" || in.Sentiment != parley.SentimentPositive ||
			in.Outcome != parley.OutcomeResolved || in.Answers != 3 || in.Messages != 7 {
			t.Errorf("title %q, %+v", tc.title(), in)
		}
		r := ti.report(parley.GroupByDay)
		if r.Totals != ti.sums() || r.Totals.Conversations != 1 || len(r.Series) != insight.DefaultReportDays ||
			r.Series[len(r.Series)-1].Resolved != 1 || r.Settling != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// What the team tries in the playground is no customer's conversation.
func TestTrialsAreNotCounted(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		for _, channel := range []parley.Channel{parley.ChannelPlayground, parley.ChannelWidget} {
			tc := ti.startConversation("", "Where is my parcel?").addAnswer("On its way.")
			tc.update("conversation.changed", func(tx *store.DB) error {
				_, err := tx.SQL().Exec(ti, `update conversations set channel = ? where id = ?`, channel, tc.ID)
				return err
			})
		}
		ti.runJobs()
		for _, r := range []*insight.Report{ti.report(parley.GroupByDay), ti.rebuildReport()} {
			if r.Totals.Conversations != 1 || r.Totals.Answers != 1 {
				t.Errorf("%+v", r.Totals)
			}
		}
	})
}

func TestGivenTitlesStay(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("", "Where is my parcel?")
		tc.update("conversation.changed", func(tx *store.DB) error {
			_, err := tx.SQL().Exec(ti, `update conversations set title = 'Parcel of Jo' where id = ?`, tc.ID)
			return err
		})
		silent := ti.startConversation("", "hello").addMessage(parley.AuthorAssistant, "Hello!")
		ti.runJobs()
		if tc.title() != "Parcel of Jo" || silent.title() != "" || silent.insight().Outcome != "" {
			t.Errorf("%q %q %+v", tc.title(), silent.title(), silent.insight())
		}
	})
}

// TestOutcomes checks the rules of the resolution rate one by one.
func TestOutcomes(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		ask := func(n int) *testConversation {
			return ti.startConversation(parley.EndUserID(fmt.Sprint("user", n)), "How do I return shoes?")
		}
		for i, c := range []struct {
			want parley.Outcome
			talk *testConversation
		}{
			{parley.OutcomeResolved, ask(0).addAnswer("By mail.")},
			{parley.OutcomeResolved,
				ask(1).addRefusal().addMessage(parley.AuthorUser, "How do I send them back?").addAnswer("By mail.")},
			{parley.OutcomeResolved, ask(2).addAnswer("By mail.").rate("positive")},
			{parley.OutcomeResolved,
				ask(3).addMessage(parley.AuthorAssistant, "By mail. Is there anything else I can do for you?")},
			{parley.OutcomeResolved, ask(4).addMessage(parley.AuthorAssistant, "Which size?").
				addMessage(parley.AuthorUser, "thanks").addMessage(parley.AuthorAssistant, "You're welcome!")},
			{parley.OutcomeDisliked, ask(5).addAnswer("By mail.").rate("negative")},
			{parley.OutcomeGivenUp, ask(6).addRefusal()},
			{parley.OutcomeGivenUp, ask(7)},
			{parley.OutcomeGivenUp, ask(8).addMessage(parley.AuthorAssistant, "Which order is it about?")},
			{parley.OutcomeGivenUp,
				ask(9).addAnswer("By mail.").addMessage(parley.AuthorUser, "And from Iceland?").addRefusal()},
			{parley.OutcomeHandedOver, ask(10).addMessage(parley.AuthorHuman, "Hello, this is Kim.")},
			{"", ti.startConversation("user11", "Thanks!").addMessage(parley.AuthorAssistant, "You're welcome!")},
		} {
			if i == 0 {
				ti.runJobs()
			}
			if got := c.talk.insight().FinalOutcome(); got != c.want {
				t.Errorf("%d: %q, want %q", i, got, c.want)
			}
		}
		if r := ti.report(parley.GroupByChannel); r.Totals != ti.sums() || r.Totals.Unresolved() != 6 ||
			r.Totals.Resolved != 5 || r.Open != 3 {
			t.Errorf("%+v", r.Totals)
		}
	})
}

func TestHandedOverConversationStaysHandedOver(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("", "How do I return shoes?").addAnswer("By mail.")
		for _, status := range []parley.ConversationStatus{parley.ConversationTakenOver, parley.ConversationOngoing} {
			tc.update("conversation.taken_over", func(tx *store.DB) error {
				changed := *tc.Conversation
				changed.Status = status
				return tx.SaveConversationStatus(ti, &changed, 0, "")
			})
		}
		ti.runJobs()
		if in := tc.insight(); !in.Escalated || in.Outcome != parley.OutcomeHandedOver {
			t.Errorf("%+v", in)
		}
	})
}

func TestRepeatedQuestionIsAskedAgain(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		first := ti.startConversation("jo", "How do I return my shoes?").addAnswer("By mail.")
		other := ti.startConversation("jo", "When does the shop open on Saturdays?").addAnswer("At nine.")
		stranger := ti.startConversation("kim", "How do I return my shoes?").addAnswer("By mail.")
		anonymous := ti.startConversation("", "How do I return my shoes?").addAnswer("By mail.")
		ti.runJobs()
		if first.insight().AskedAgain {
			t.Error("the user has not asked again yet")
		}
		ti.clock.Advance(2 * 24 * time.Hour)
		second := ti.startConversation("jo", "how can I return shoes").addAnswer("By mail.")
		ti.runJobs()
		ti.clock.Advance(4 * 24 * time.Hour)
		third := ti.startConversation("jo", "How do I return my shoes?").addAnswer("By mail.")
		ti.runJobs()
		for i, tc := range []*testConversation{first, other, stranger, anonymous, second, third} {
			if got := tc.insight().FinalOutcome() == parley.OutcomeAskedAgain; got != (tc == first) {
				t.Errorf("%d: asked again %v", i, got)
			}
		}
		if r := ti.report(parley.GroupByDay); r.Totals != ti.sums() || r.Totals.AskedAgain != 1 {
			t.Errorf("%+v", r.Totals)
		}
	})
}

var sampleQuestions = []string{
	"How do I reset my password?", "I forgot my password, how can I reset it", "reset password link does not arrive",
	"password reset mail is missing", "cannot reset the password",
	"resetting my password fails", "Where is my parcel?", "my parcel has not arrived", "track my parcel",
	"parcel tracking says unknown", "when will the parcel arrive",
	"the parcel arrived broken", "Do you sell gift cards?", "What is the meaning of life", "opening hours on Sunday",
}

// TestGroupsDoNotDependOnTheOrder checks that the same conversations lead to the same topics, in whatever order they
// came.
func TestGroupsDoNotDependOnTheOrder(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		var orders [2]map[string]string
		for i := range orders {
			ti.agent = ti.newAgent(nil)
			list := slices.Clone(sampleQuestions)
			if i == 1 {
				slices.Reverse(list)
			}
			talks := map[string]*testConversation{}
			for _, q := range list {
				talks[q] = ti.startConversation("", q).addAnswer("Like this.")
			}
			ti.runJobs()
			ti.Must(ti.service.Group(ti, ti.account.ID.AgentRef(ti.agent.ID)))
			orders[i] = map[string]string{}
			for q, tc := range talks {
				orders[i][q] = tc.insight().Topic
			}
			if r := ti.report(parley.GroupByTopic); r.Totals != ti.sums() {
				t.Errorf("%+v", r.Totals)
			}
		}
		if fmt.Sprint(orders[0]) != fmt.Sprint(orders[1]) {
			t.Errorf("%v\n%v", orders[0], orders[1])
		}
		if a, b := orders[0][sampleQuestions[0]], orders[0][sampleQuestions[6]]; a == "" || b == "" || a == b ||
			orders[0]["What is the meaning of life"] != "" {
			t.Errorf("%v", orders[0])
		}
	})
}

func TestNewConversationsJoinGroups(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		for _, q := range sampleQuestions {
			ti.startConversation("", q).addAnswer("Like this.")
		}
		ti.runJobs()
		ti.clock.Advance(11 * time.Minute)
		ti.runJobs() // the job that groups is due
		topic := ti.startConversation("", "password reset").addAnswer("Like this.")
		ti.runJobs()
		if topic.insight().Topic == "" {
			t.Error("it has joined no group")
		}
		names := func(r *insight.Report) (list []string) {
			for _, topic := range r.Topics {
				list = append(list, topic.Name)
			}
			slices.Sort(list)
			return list
		}
		before := ti.report(parley.GroupByTopic)
		once, twice := ti.rebuildReport(), ti.rebuildReport()
		if !slices.Equal(names(before), names(once)) || fmt.Sprint(once.Topics) != fmt.Sprint(twice.Topics) ||
			twice.Totals != ti.sums() || before.Totals != once.Totals {
			t.Errorf("before: %v\nonce: %v\ntwice: %v", before.Topics, once.Topics, twice.Topics)
		}
	})
}

func TestTreeOfTopics(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		ti.agent = ti.newAgent(func(a *parley.Agent) {
			a.Topics = []parley.Topic{
				{Name: "Orders", Keywords: []string{"order"}, Topics: []parley.Topic{
					{Name: "Returns", Keywords: []string{"send back", "return"},
						Examples: []string{"I want to give the shoes back", "they do not fit, what now"}}}},
				{Name: "Opening hours", Examples: []string{"when are you open", "is the shop open on Sunday"}},
			}
		})
		for q, want := range map[string][]string{
			"Where is my order?":            {"Orders"},
			"Can I return an order?":        {"Returns", "Orders"},
			"I would like to send it back.": {"Returns", "Orders"},
			"can i give these shoes back":   {"Returns", "Orders"},
			"are you open on sundays":       {"Opening hours"},
			"Do you sell bicycles?":         nil,
		} {
			tc := ti.startConversation("", q).addAnswer("Like this.")
			ti.runJobs()
			if got := tc.insight().Topics; !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", q, got, want)
			}
		}
		r := ti.report(parley.GroupByTopic)
		if len(r.Topics) != 4 || r.Topics[0].Name != "Orders" || r.Topics[0].Conversations != 4 ||
			r.Topics[1].Parent != "Orders" || r.Topics[1].Conversations != 3 || r.Totals != ti.sums() {
			t.Errorf("%+v", r.Topics)
		}
	})
}

// TestTextOfRedactingAgentsIsWithheld checks that for agents that mask personal data no text of conversations gets into
// titles, topics and questions.
func TestTextOfRedactingAgentsIsWithheld(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		plain := ti.startConversation("", "Do you ship to Iceland?").addRefusal()
		ti.runJobs()
		if plain.title() == "" || ti.report(parley.GroupByDay).Open != 1 {
			t.Fatal("nothing to withhold")
		}
		ti.Must(ti.db.UpdateAgent(ti, ti.account.ID.AgentRef(ti.agent.ID), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		if r := ti.report(parley.GroupByDay); !r.Withheld || len(r.Lacks) > 0 {
			t.Errorf("shown: %+v", r.Lacks)
		}
		plain.addMessage(parley.AuthorUser, "Hello? This is terrible, I am very disappointed!")
		for _, q := range sampleQuestions {
			ti.startConversation("", q).addRefusal()
		}
		ti.runJobs()
		ti.Must(ti.service.Group(ti, ti.account.ID.AgentRef(ti.agent.ID)))
		in := plain.insight()
		if plain.title() != "" || in.Terms != nil || in.Sentiment != parley.SentimentNegative ||
			in.Outcome != parley.OutcomeGivenUp {
			t.Errorf("%q %+v", plain.title(), in)
		}
		r := ti.report(parley.GroupByTopic)
		if r.Open != 0 || len(r.Topics) != 1 || r.Topics[0].Name != "" || r.Totals.Refused != int64(len(sampleQuestions)+1) {
			t.Errorf("%+v", r)
		}
	})
}

func TestUnansweredQuestionsAreGrouped(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		for _, q := range []string{"Do you ship to Iceland?", "Can I bring a dog?",
			"shipping to Iceland, do you ship there", "ship to iceland"} {
			ti.startConversation("", q).addRefusal()
			ti.clock.Advance(time.Minute)
		}
		// this message is no question
		ti.startConversation("", "Do you take bicycles along?").addRefusal().addMessage(parley.AuthorUser,
			"This is awful, I am very disappointed!").addRefusal()
		ti.startConversation("", "Is it safe?").addAnswer("Yes.")
		ti.runJobs()
		r := ti.report(parley.GroupByDay)
		if len(r.Lacks) != 3 || r.Open != 5 || r.Lacks[0].Count != 3 || r.Lacks[0].Example != "ship to iceland" ||
			!r.Lacks[0].First.Equal(noon) || !r.Lacks[0].Last.After(noon) || len(r.Lacks[0].Conversations) != 3 {
			t.Errorf("%+v", r.Lacks)
		}
		found, err := ti.service.OpenGroupConversations(ti, ti.account, ti.agent.ID, r.ReportRange, r.Lacks[0].Last.Unix())
		if ti.Must(err); !slices.Equal(found, r.Lacks[0].Conversations) {
			t.Errorf("who asked it is in %v, want %v", found, r.Lacks[0].Conversations)
		}
	})
}

// TestErasingCorrectsTheSums checks that deleted conversations and agents leave neither text nor figures.
func TestErasingCorrectsTheSums(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		remaining := ti.startConversation("jo", "Do you ship to Iceland?").addRefusal()
		deleted := ti.startConversation("jo", "Do you ship to Norway?").addRefusal()
		ti.runJobs()
		ti.Must(ti.db.Transact(ti, sqldb.Interactive, func(tx *store.DB) error {
			_, err := tx.DeleteConversations(ti, ti.account.ID.AgentRef(ti.agent.ID), []parley.ConversationID{deleted.ID},
				nil, ti.clock.Now())
			return err
		}))
		// a job that comes too late
		ti.Must(ti.service.Analyze(ti, ti.account.ID.AgentRef(ti.agent.ID).ConversationRef(deleted.ID)))
		_, err := ti.db.EraseConversations(ti, ti.account.ID.AgentRef(ti.agent.ID))
		ti.Must(err)
		ti.Must(ti.service.Analyze(ti, ti.account.ID.AgentRef(ti.agent.ID).ConversationRef(deleted.ID)))
		if in, err := ti.db.Insight(ti, ti.account.ID.AgentRef(ti.agent.ID).ConversationRef(deleted.ID)); in != nil ||
			err != nil {
			t.Error(in, err)
		}
		if r := ti.report(parley.GroupByDay); r.Totals.Conversations != 1 || r.Totals != ti.sums() || r.Open != 1 ||
			remaining.insight() == nil {
			t.Errorf("%+v", r)
		}
		ti.Must(ti.db.DeleteAgent(ti, ti.account.ID.AgentRef(ti.agent.ID), ti.clock.Now()))
		ti.Must(ti.service.Analyze(ti, ti.account.ID.AgentRef(ti.agent.ID).ConversationRef(remaining.ID)))
		_, err = ti.db.EraseAgent(ti, ti.account.ID.AgentRef(ti.agent.ID))
		ti.Must(err)
		for _, table := range []string{"conversation_insights", "insight_days", "insight_questions", "insight_agents",
			"insight_groups"} {
			n, err := sqldb.One(ti, ti.db.SQL(), sqldb.Column[int], `select count(*) from `+table)
			if ti.Must(err); n > 0 {
				t.Error(table, n)
			}
		}
	})
}

// TestLongConversationIsCheapToAnalyze checks that an analysis reads only the first and the last messages.
func TestLongConversationIsCheapToAnalyze(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("", "How do I return shoes?")
		for range 100 {
			tc.addAnswer("By mail.").addMessage(parley.AuthorUser, "ok")
		}
		tc.addRefusal()
		ti.runJobs()
		messages, err := ti.db.Utterances(ti, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID), 40)
		ti.Must(err)
		if len(messages) != 80 || messages[39].Seq != 40 || messages[40].Seq != 163 || messages[79].Seq != 202 ||
			!messages[79].IsRefusal || messages[0].IsRefusal {
			t.Errorf("%d messages", len(messages))
		}
		if in := tc.insight(); in.Messages != 202 || in.Answers != 40 {
			t.Errorf("%+v", in)
		}
	})
}

// runDuringAnalysis calls a function once while a conversation is being analyzed: after it is read and before anything
// is written.
func (ti *testInsight) runDuringAnalysis(do func()) {
	ti.Helper()
	ti.Must(ti.db.UpdateAgent(ti, ti.account.ID.AgentRef(ti.agent.ID), func(a *parley.Agent) error {
		a.Insight.UseModel = true
		return nil
	}))
	scriptedModel := &scripted.Model{StepsFor: func(model.Request) []scripted.Step {
		if now := do; now != nil {
			do = nil
			now()
		}
		return []scripted.Step{scripted.Text("Title: A question\nSentiment: neutral"), scripted.Stop()}
	}}
	ti.service.Model = func(context.Context, parley.AccountID, string) (model.Backend, bool, error) {
		return model.Backend{Model: scriptedModel, Label: "m at m"}, true, nil
	}
}

// TestErasedDuringAnalysis checks that a running analysis writes no text of a conversation that is erased meanwhile.
func TestErasedDuringAnalysis(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("jo", "Do you ship to Iceland?").addRefusal()
		ti.runDuringAnalysis(func() {
			ti.Must(ti.db.Transact(ti, sqldb.Interactive, func(tx *store.DB) error {
				_, err := tx.DeleteConversations(ti, tc.AccountID.AgentRef(tc.AgentID), []parley.ConversationID{tc.ID},
					nil, ti.clock.Now())
				return err
			}))
			_, err := ti.db.EraseConversations(ti, tc.AccountID.AgentRef(tc.AgentID))
			ti.Must(err)
		})
		ti.Must(ti.service.Analyze(ti, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID)))
		if r := ti.report(parley.GroupByDay); r.Open != 0 || r.Totals.Conversations != 0 {
			t.Errorf("%d questions remain, %+v", r.Open, r.Totals)
		}
	})
}

// TestLaterAnalysisWins checks that if two servers analyze a conversation at the same time, the one that has read it
// first does not overwrite the other's result.
func TestLaterAnalysisWins(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		tc := ti.startConversation("jo", "Do you ship to Iceland?").addAnswer("Yes.")
		ti.runDuringAnalysis(func() {
			tc.rate("negative")
			ti.clock.Advance(time.Second)
			// of another server, without a model
			other := &insight.Service{DB: ti.db, Queue: ti.service.Queue, Now: ti.clock.Now, Logger: ti.service.Logger}
			ti.Must(other.Analyze(ti, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID)))
		})
		ti.Must(ti.service.Analyze(ti, tc.AccountID.AgentRef(tc.AgentID).ConversationRef(tc.ID)))
		if in := tc.insight(); in.NegativeRatings != 1 || in.Outcome != parley.OutcomeDisliked {
			t.Errorf("%+v", in)
		}
		if r := ti.report(parley.GroupByDay); r.Totals != ti.sums() || r.Totals.Disliked != 1 {
			t.Errorf("%+v", r.Totals)
		}
	})
}

// The words of a conversation that is erased leave what automatic topics are found by; words that enough others have
// stay.
func TestForgottenWords(t *testing.T) {
	forEachDatabase(t, func(ti *testInsight) {
		var own *testConversation
		for _, q := range append(slices.Clone(sampleQuestions), "how does Marlow reset the password") {
			own = ti.startConversation("", q).addAnswer("Like this.")
		}
		ti.runJobs()
		ref := ti.account.ID.AgentRef(ti.agent.ID)
		ti.Must(ti.service.Group(ti, ref))
		words := func() (text string) {
			v, err := ti.db.Vocabulary(ti, ref)
			ti.Must(err)
			groups, err := ti.db.InsightGroups(ti, ref)
			ti.Must(err)
			return fmt.Sprint(v, groups)
		}
		if before := words(); !strings.Contains(before, "marlow") || !strings.Contains(before, "password") {
			ti.Fatal("nothing is planted:", before)
		}
		ti.Must(ti.service.ForgetWords(ti, ref, []parley.ConversationID{own.ID}))
		if after := words(); strings.Contains(after, "marlow") || !strings.Contains(after, "password") ||
			!strings.Contains(after, "parcel") {
			ti.Error("of one conversation it has forgotten", after)
		}
	})
}
