package chatapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley"
	"parley/internal/insight"
	"parley/internal/model"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// citation is what tests read of one.
type citation struct {
	Name, Quote string
	URL         *string
}

// citations returns what the last event of an answer cites.
func (f *chatFixture) citations(res *http.Response) (list []citation) {
	f.Helper()
	s := f.stream(res)
	for s.lines.Scan() {
		var e struct {
			Type            string
			MessageMetadata struct{ Citations []citation }
		}
		data, isEvent := strings.CutPrefix(s.lines.Text(), "data: ")
		if isEvent && json.Unmarshal([]byte(data), &e) == nil && e.Type == "finish" {
			list = e.MessageMetadata.Citations
		}
	}
	return list
}

func TestCitationsQuoteTheirPassage(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		const passage = "Parcels are delivered between eight and ten."
		f.agent = f.server.NewAgent(f, f.server.Key, passage)
		f.change(`{"visibility":"public"}`)
		cited := []scripted.Step{scripted.Text("Between eight and ten."), {Chunk: model.Chunk{Citation: &model.Citation{
			PassageIndex: 0, Start: 0, End: len(passage), AnswerEnd: 22}}}, scripted.Stop()}
		token := f.newVisitor()
		for _, test := range []struct {
			mode, styles string
			want         int
		}{
			{"bubble", `{"centerStage":{"showDataSource":false}}`, 1},
			{"stage", `{"centerStage":{"showDataSource":false}}`, 0},
			{"stage", `{"centerStage":{"showDataSource":true}}`, 1},
		} {
			if r := f.server.Do(f, http.MethodPut, "/agents/"+f.agent+"/styles", f.server.Key,
				`{"styles":`+test.styles+`}`); r.Status != http.StatusOK {
				f.Fatalf("%s", r.Body)
			}
			f.model.AddScript(cited...)
			got := f.citations(f.open(http.MethodPost, f.agent+"/messages", token,
				fields{"message": "When are parcels delivered?", "mode": test.mode}))
			if len(got) != test.want || test.want > 0 && got[0].Quote != passage {
				t.Errorf("%s, %s: %+v", test.mode, test.styles, got)
			}
			var list []struct{ ID string }
			f.into(f.do(http.MethodGet, f.agent+"/conversations", token, nil), &list)
			var h struct {
				Messages []struct {
					Metadata struct{ Citations []citation }
				}
			}
			f.into(f.do(http.MethodGet, f.agent+"/conversation/"+list[0].ID, token, nil), &h)
			if stored := h.Messages[1].Metadata.Citations; len(stored) != test.want ||
				test.want > 0 && stored[0].Quote != passage {
				t.Errorf("%s, %s, read again: %+v", test.mode, test.styles, stored)
			}
		}
	})
}

func TestModelReadsWhatThePageSaysOfItsUser(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		long := strings.Repeat("ä", 1500)
		for _, test := range []struct {
			metadata any
			want     string
		}{
			{"plan: gold", "plan: gold"},
			{fields{"plan": "gold"}, `{"plan":"gold"}`},
			{long, long[:2000]},
			{nil, ""},
		} {
			f.send(token, fields{"message": "Hello", "metadata": test.metadata})
			requests := f.model.Requests()
			if got := requests[len(requests)-1].UserData; got != test.want {
				t.Errorf("%v: the model reads %q", test.metadata, got)
			}
		}
	})
}

// TestPageIsStoredWithTheConversation checks what of the page around the chat is kept, and that later pages of the same
// conversation change nothing of it.
// A message of spaces begins no conversation, and goes on with none.
func TestBlankMessagesAreRefused(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello"})
		for _, body := range []fields{{"message": " \n\t"}, {"message": " ", "conversationId": chat.conversation}} {
			f.wantCode(f.do(http.MethodPost, f.agent+"/messages", token, body), "VALIDATION_INVALID_BODY")
		}
		f.wantCode(f.do(http.MethodPost, f.agent+"/conversation/"+chat.conversation+"/messages", token,
			fields{"message": " "}), "VALIDATION_INVALID_BODY")
	})
}

func TestPageIsStoredWithTheConversation(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		chat := f.send(token, fields{"message": "Hello", "page": "https://shop.example/orders?id=7#top",
			"title": " Orders\n of  Anna", "locale": "pt-BR"})
		f.send(token, fields{"message": "And now?", "conversationId": chat.conversation,
			"page": "https://shop.example/home", "title": "Home", "locale": "de"})
		plain := f.send(token, fields{"message": "Hi"})
		for id, want := range map[string][3]string{
			chat.conversation:  {"https://shop.example/orders", "Orders of Anna", "pt-BR"},
			plain.conversation: {},
		} {
			c, err := f.server.DB.Conversation(f.Context(), f.ref().ConversationRef(parley.ConversationID(id)))
			if err != nil {
				f.Fatal(err)
			}
			if got := [3]string{c.EmbedOrigin, c.EmbedTitle, c.EmbedLocale}; got != want {
				f.Errorf("%q is stored, want %q", got, want)
			}
		}
	})
}

// TestMessageWithoutAnAnswerIsNamed checks that a visitor whose message the model could not begin to answer learns
// where it is kept, and gets an answer to that message and not to a second one.
func TestMessageWithoutAnAnswerIsNamed(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.model.AddScript(scripted.Step{Err: errors.New("broken")})
		token := f.newVisitor()
		refused := f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "Hello"})
		var failure struct {
			Error struct {
				Code    parley.Code
				Details struct{ ConversationID, UserMessageID string }
			}
		}
		f.decode(refused.body, &failure)
		stored := failure.Error.Details
		if failure.Error.Code != parley.CodeChatStreaming || stored.ConversationID == "" {
			f.Fatalf("%d %s", refused.status, refused.body)
		}
		f.stream(f.open(http.MethodPost, f.agent+"/retry", token,
			fields{"conversationId": stored.ConversationID, "messageId": stored.UserMessageID})).readUntil(toTheEnd)
		messages := f.history(token, stored.ConversationID).Messages
		if len(messages) != 2 || messages[0].ID != stored.UserMessageID || messages[1].Author != "assistant" {
			f.Errorf("%+v", messages)
		}
	})
}

func TestChannelsAreFoundAndCounted(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		channels := map[string]string{"bubble": "Widget or Iframe", "iframe": "Iframe", "stage": "Center stage",
			"help": "Agent page"}
		for mode := range channels {
			f.server.Search.Allow = nil
			f.send(token, fields{"message": "Where is my parcel?", "mode": mode, "title": "Orders\n of  Anna", "locale": "de"})
		}
		counted := f.channelCounts()
		for mode, channel := range channels {
			testkit.Eventually(f, "found: "+channel, func() bool {
				var found struct{ Data []struct{ Source string } }
				f.decode(f.server.Do(f, http.MethodGet, "/agents/"+f.agent+"/conversations/search?source="+
					url.QueryEscape(channel), f.server.Key, nil).Body, &found)
				return len(found.Data) == 1 && found.Data[0].Source == channel
			})
			if counted[channel] != 1 {
				t.Errorf("%s: %d conversations of %s are counted", mode, counted[channel], channel)
			}
		}
	})
}

// channelCounts returns how many conversations the insights count of each channel.
func (f *chatFixture) channelCounts() map[string]int {
	f.Helper()
	for at := (insight.Progress{}); !at.Done; {
		var err error
		if at, err = f.server.Insight.Rebuild(f.Context(),
			parley.AccountID(f.server.Account).AgentRef(parley.AgentID(f.agent)), at); err != nil {
			f.Fatal(err)
		}
	}
	var out struct {
		Data struct {
			Series []struct {
				Key           string
				Conversations int
			}
		}
	}
	f.decode(f.server.Do(f, http.MethodGet, "/agents/"+f.agent+"/insights?groupBy=channel",
		f.server.Key, nil).Body, &out)
	counts := map[string]int{}
	for _, row := range out.Data.Series {
		counts[row.Key] = row.Conversations
	}
	return counts
}
