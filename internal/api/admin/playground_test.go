package admin_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
)

// answerEvent is what the tests read of an event of a stream.
type answerEvent struct {
	Type, Lane, Delta, ErrorText string
	MessageMetadata              admin.AnswerMetadata
}

// readEvents returns the events of a streamed response, whose end must be marked.
func (mt *memberTest) readEvents(response string) (events []answerEvent) {
	mt.t.Helper()
	body, isStream := strings.CutPrefix(response, "200 data: ")
	body, isWhole := strings.CutSuffix(body, "\n\ndata: [DONE]\n\n")
	if !isStream || !isWhole {
		mt.t.Fatalf("no whole stream: %s", response)
	}
	for line := range strings.SplitSeq(body, "\n\ndata: ") {
		var e answerEvent
		mt.must(json.Unmarshal([]byte(line), &e))
		events = append(events, e)
	}
	return events
}

// ask asks the playground, and returns the metadata of the last event.
func (mt *memberTest) ask(m parley.Member, agent, body string) admin.AnswerMetadata {
	mt.t.Helper()
	events := mt.readEvents(mt.send(m, "POST /agents/"+agent+"/playground", body))
	return events[len(events)-1].MessageMetadata
}

func TestPlaygroundExplainsItsAnswers(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		answered := mt.ask(kim, agent, `{"message":"When are parcels delivered?"}`)
		if len(answered.Citations) == 0 || answered.Usage.Credits != 1 || answered.AnswerState != parley.AnswerSure ||
			!answered.Explain.Passages[0].IsCited || answered.Explain.Bounds == nil ||
			*answered.Score < answered.Explain.Bounds.Sure {
			t.Errorf("an answer: %+v %+v", answered, answered.Explain)
		}
		refused := mt.ask(kim, agent,
			`{"message":"Who won the world cup of 1990?","conversationId":"`+answered.ConversationID+`"}`)
		if refused.ConversationID != answered.ConversationID || refused.AnswerState != parley.AnswerRefused ||
			!refused.Explain.Refused || refused.Explain.Reason == "" {
			t.Errorf("a refusal: %+v %+v", refused, refused.Explain)
		}
		again := mt.ask(kim, agent, `{"retry":"`+refused.MessageID+`","conversationId":"`+answered.ConversationID+`"}`)
		if again.MessageID == refused.MessageID || again.Explain == nil {
			t.Errorf("asked again: %+v", again)
		}
		c, err := mt.DB.Conversation(mt.t.Context(), parley.AccountID(mt.Account).AgentRef(parley.AgentID(agent)).
			ConversationRef(parley.ConversationID(answered.ConversationID)))
		if err != nil || c.Channel != parley.ChannelPlayground || c.MessageCount != 4 {
			t.Errorf("the conversation: %+v %v", c, err)
		}
	})
}

func TestPlaygroundAsksTheDraft(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		agent, ref := ids["agentId"], parley.AccountID(mt.Account).AgentRef(parley.AgentID(ids["agentId"]))
		before, err := mt.DB.Agent(mt.t.Context(), ref, mt.AdminService.Now())
		mt.must(err)
		boss, ask := mt.owner(), "POST /agents/"+agent+"/playground"
		options := get[admin.DraftOptions](mt, boss, "GET /agents/"+agent+"/playground", "")
		for i, m := range options.BackEnds {
			if m.Name != options.Models[i] || m.BackEnd != "builtin" || m.IsConnected {
				t.Errorf("the model %s is answered for by %+v", options.Models[i], m)
			}
		}
		if len(options.BackEnds) != len(options.Models) {
			t.Errorf("back ends of %d of %d models", len(options.BackEnds), len(options.Models))
		}
		mt.ask(boss, agent, `{"message":"Hello","draft":{"instructions":"Be kind.","temp":1,"model":"auto","actions":[]}}`)
		after, err := mt.DB.Agent(mt.t.Context(), ref, mt.AdminService.Now())
		mt.must(err)
		if after.ConfigVersion != before.ConfigVersion || after.Instructions != before.Instructions {
			t.Error("the draft was saved")
		}
		invalid := parley.CodeInvalidBody
		mt.requireCode(boss, invalid, ask, `{"message":"Hello","draft":{"model":"no-model"}}`)
		mt.requireCode(boss, invalid, ask, `{"message":"Hello","draft":{"temp":2}}`)
		mt.requireCode(boss, invalid, ask, `{}`)
		mt.requireCode(boss, invalid, ask, `{"retry":"`+ids["messageId"]+`"}`)
		mt.requireCode(boss, parley.CodeConversationNotFound, ask,
			`{"message":"Hello","conversationId":"`+ids["conversationId"]+`"}`) // of a customer
	})
}

// What was asked in the playground can be read again as its stream has shown it.
func TestPlaygroundConversationsAreReadAgain(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		first := mt.ask(kim, agent, `{"message":"When are parcels delivered?"}`)
		again := mt.ask(kim, agent, `{"retry":"`+first.MessageID+`","conversationId":"`+first.ConversationID+`"}`)
		second := mt.ask(kim, agent,
			`{"message":"Who won the world cup of 1990?","conversationId":"`+first.ConversationID+`"}`)
		mt.ask(kim, agent, `{"message":"`+strings.Repeat("long ", 100)+`"}`)
		conversations := "GET /agents/" + agent + "/playground/conversations"
		list := get[admin.PlaygroundList](mt, kim, conversations, "").Conversations
		if len(list) != 2 || list[1].ID != first.ConversationID || list[1].Question != "When are parcels delivered?" ||
			list[1].Messages != 4 || len(list[0].Question) > 200 || list[0].LastActivity.IsZero() {
			t.Errorf("the list: %+v", list)
		}
		record := get[admin.PlaygroundRecord](mt, kim, conversations+"/"+first.ConversationID, "")
		if len(record.Exchanges) != 2 || record.IsAnswering || record.Earlier != 0 {
			t.Fatalf("the record: %+v", record)
		}
		for i, want := range []admin.AnswerMetadata{again, second} {
			got := record.Exchanges[i]
			if !reflect.DeepEqual(*got.Answer, want) || got.State != "complete" || got.UserMessageID != want.UserMessageID {
				t.Errorf("exchange %d is %+v\n%+v\nits stream said\n%+v", i, got, *got.Answer, want)
			}
		}
		missing := parley.CodeConversationNotFound
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		mt.requireCode(kim, missing, conversations+"/"+ids["playgroundId"], "") // of another agent
		mt.requireCode(kim, missing, "GET /agents/"+ids["agentId"]+"/playground/conversations/"+ids["conversationId"], "")
	})
}

func TestComparisonNamesTheLanes(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		events := mt.readEvents(mt.send(mt.owner(), "POST /agents/"+agent+"/compare",
			`{"message":"When are parcels delivered?","lanes":[{},{"draft":{"instructions":"Be brief."}}]}`))
		texts, conversations := map[string]string{}, []string{}
		for _, e := range events {
			texts[e.Lane] += e.Delta
			if e.Type == "finish" {
				conversations = append(conversations, e.MessageMetadata.ConversationID)
				if e.MessageMetadata.Explain == nil {
					t.Errorf("lane %s has no explanation", e.Lane)
				}
			}
		}
		if len(texts) != 2 || !strings.Contains(texts["a"], "eight and ten") || texts["a"] != texts["b"] ||
			len(conversations) != 2 || conversations[0] == conversations[1] {
			t.Errorf("texts %v of conversations %v", texts, conversations)
		}
		mt.requireCode(mt.owner(), parley.CodeConversationNotFound, "POST /agents/"+agent+"/compare",
			`{"message":"Hello","lanes":[{},{"conversationId":"01900000-0000-7000-8000-000000000000"}]}`)
		mt.requireCode(mt.owner(), parley.CodeInvalidBody, "POST /agents/"+agent+"/compare",
			`{"message":"Hello","lanes":[{}]}`)
	})
}

func TestImprovedAnswersAreGivenAgain(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		agent := mt.NewAgent(mt.t, mt.Key, "# Deliveries\n\nParcels are delivered between eight and ten in the morning.")
		kim := mt.newMember(mt.Account, parley.RoleAgent, "kim@shop.example")
		refused := mt.ask(kim, agent, `{"message":"Do you gift-wrap presents?"}`)
		messages := "POST /agents/" + agent + "/conversations/" + refused.ConversationID + "/messages/"
		improve := messages + refused.MessageID + "/improve"
		created := get[admin.Improvement](mt, kim, improve,
			`{"question":"Do you gift-wrap presents?","answer":"Yes, gift wrap for presents is free."}`)
		if created.Before.State != parley.AnswerRefused || created.After == nil ||
			created.After.Text != "Yes, gift wrap for presents is free." || created.After.Credits != 1 ||
			len(created.After.Citations) == 0 || string(created.After.Citations[0].SourceID) != created.Source.ID {
			t.Errorf("a new source: %+v %+v", created, created.After)
		}
		extended := get[admin.Improvement](mt, kim, improve, `{"question":"Is wrapping free?",`+
			`"answer":"Yes, gift wrap for presents costs nothing.","sourceId":"`+created.Source.ID+`"}`)
		if extended.Source.ID != created.Source.ID || extended.After == nil ||
			!strings.Contains(extended.After.Text, "costs nothing") {
			t.Errorf("an extended source: %+v %+v", extended, extended.After)
		}
		source := get[admin.SourceText](mt, kim, "GET /agents/"+agent+"/sources/"+created.Source.ID+"/text", "")
		if !strings.HasPrefix(source.Text, "Do you gift-wrap presents?\nIs wrapping free?\n\nYes, ") {
			t.Errorf("the source: %q", source.Text)
		}
		mt.requireCode(kim, parley.CodeMessageNotFound, messages+refused.UserMessageID+"/improve",
			`{"question":"q","answer":"a"}`)
		events, err := mt.DB.AuditEvents(mt.t.Context(), kim.Account, 0, 10_000)
		mt.must(err)
		actions := []string{}
		for _, e := range events {
			if e.Actor == "user:"+string(kim.User) {
				actions = append(actions, e.Action)
			}
		}
		if want := []string{"playground.ask", "answer.improve", "answer.improve"}; !slices.Equal(actions, want) {
			t.Errorf("the audit chain has %v, want %v", actions, want)
		}
	})
}
