package v1_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley/internal/api/v1"
	"parley/internal/api/v2"
	"parley/internal/model"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// tokenFragments are the parts of the tokens of an answer: texts that a stream of events could lose, merge or mistake
// for its own syntax.
var tokenFragments = []string{" ", "  ", "\n", "\n\n", "\r", "\r\n", "\t", "Hello", "world", ",", ":", ": ", "data:",
	"data: x", "\ndata: y", "event: z\n", "id", "[DONE]", "[", "DONE]",
	"\n[DONE]\n", "é", "e\u0301", "👩‍👩‍👧", "\u200b", "\u200d", "\u2028", "\u2029", "\u00a0", "\ufeff", "\u0085", "\v",
	"\f", "\x00", "שלום", "\u202eabc\u202c", "你好", `"quoted"`, `\n`, "</script>", "\u0001"}

func randomTokens(random *rand.Rand) []string {
	list := make([]string, 1+random.IntN(8))
	for i := range list {
		for range 1 + random.IntN(4) {
			list[i] += tokenFragments[random.IntN(len(tokenFragments))]
		}
	}
	return list
}

// parseEvents reads server-sent events as the standard says (WHATWG HTML, 9.2.6), and returns the data of each.
func parseEvents(t *testing.T, stream string) (data []string) {
	t.Helper()
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream), "\n")
	var buffer string
	for _, line := range lines {
		field, value, _ := strings.Cut(line, ":")
		switch {
		case line == "" && buffer != "":
			data, buffer = append(data, strings.TrimSuffix(buffer, "\n")), ""
		case line == "" || strings.HasPrefix(line, ":"):
		case field == "data":
			buffer += strings.TrimPrefix(value, " ") + "\n"
		default:
			t.Fatalf("a line that is no data: %q of %q", line, stream)
		}
	}
	return data
}

// TestAnswersAreReadAsTheyWereStored checks that the joined stream, the reply in one piece and the stored text are
// equal, character by character.
func TestAnswersAreReadAsTheyWereStored(t *testing.T) {
	for name, where := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tokens []string
			scriptedModel := &scripted.Model{StepsFor: func(model.Request) (steps []scripted.Step) {
				for _, token := range tokens {
					steps = append(steps, scripted.Text(token))
				}
				return append(steps, scripted.Stop())
			}}
			srv := testkit.Open(t, append(where, testkit.WithModel(scriptedModel))...)
			bot := createChatbot(t, srv)
			random := rand.New(rand.NewPCG(7, 7))
			for n := range 150 {
				tokens = randomTokens(random)
				want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.Join(tokens, ""))
				streamed, id := n%2 == 0, fmt.Sprint("Gespräch ", n)
				got := askAndRead(t, srv, bot, id, streamed)
				if got != want {
					t.Fatalf("%q: read (as a stream: %v)\n%q, want\n%q", tokens, streamed, got, want)
				}
				if stored := storedReply(t, srv, bot); stored != want {
					t.Fatalf("%q: stored\n%q, want\n%q", tokens, stored, want)
				}
			}
		})
	}
}

// askAndRead asks and returns the answer as a client reads it.
func askAndRead(t *testing.T, srv *testkit.Server, bot, id string, stream bool) string {
	t.Helper()
	body := fmt.Sprintf(`{"chatbotId": %q, "conversationId": %q, "stream": %v, "messages": [{"role": "user", `+
		`"content": "Say it"}]}`,
		bot, id, stream)
	status, text := sendAs(t, srv, srv.Key, "POST", v1.Base+"/chat", body)
	if status != 200 {
		t.Fatal(status, text)
	}
	if !stream {
		var reply struct{ Text string }
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			t.Fatal(err)
		}
		return reply.Text
	}
	data := parseEvents(t, text)
	if len(data) == 0 || data[len(data)-1] != "[DONE]" {
		t.Fatalf("the stream has no end: %q", text)
	}
	for _, piece := range data[:len(data)-1] {
		if strings.Contains(piece, "[DONE]") {
			t.Fatalf("an event looks like the end: %q", piece)
		}
	}
	return strings.Join(data[:len(data)-1], "")
}

// storedReply returns the last message of the newest conversation.
func storedReply(t *testing.T, srv *testkit.Server, bot string) string {
	t.Helper()
	list := listConversations(t, srv, bot, "&size=1")
	messages := list[0].Messages
	return messages[len(messages)-1].Content
}

func listConversations(t *testing.T, srv *testkit.Server, bot, more string) []v1.Conversation {
	t.Helper()
	status, text := sendAs(t, srv, srv.Key, "GET", v1.Base+"/get-conversations?chatbotId="+url.QueryEscape(bot)+more, "")
	var page v1.Conversations
	if err := json.Unmarshal([]byte(text), &page); err != nil || status != 200 {
		t.Fatal(status, text, err)
	}
	return page.Data
}

// createChatbot creates a chatbot and returns its id.
func createChatbot(t *testing.T, srv *testkit.Server) string {
	t.Helper()
	var created struct{ ID string }
	status, body := sendAs(t, srv, srv.Key, "POST", v2.Base+"/agents", `{"name": "Shop"}`)
	if err := json.Unmarshal([]byte(body), &created); err != nil || status != 201 {
		t.Fatal(status, body)
	}
	return created.ID
}

// startChat sends a chat request and returns its reply, which the caller reads.
func startChat(t *testing.T, srv *testkit.Server, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+v1.Base+"/chat", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+srv.Key)
	resp, err := srv.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// readUntil reads a reply until it holds the text.
func readUntil(t *testing.T, r io.Reader, text string) {
	t.Helper()
	var got []byte
	for one := make([]byte, 1); !strings.Contains(string(got), text); got = append(got, one...) {
		if _, err := io.ReadFull(r, one); err != nil {
			t.Fatalf("%v after %q", err, got)
		}
	}
}
