package chatapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/api/chatapi"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// chatFixture is a server with a public agent, whose model plays scripts.
type chatFixture struct {
	*testing.T
	server *testkit.Server
	model  *scripted.Model
	agent  string
	header http.Header        // of further requests
	rooms  *testkit.FakeRooms // of voice sessions; nil where a test does not care
}

func forEachServer(t *testing.T, do func(f *chatFixture), more ...testkit.Option) {
	t.Helper()
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			f := &chatFixture{T: t, model: &scripted.Model{}}
			f.server = testkit.Open(t, slices.Concat(options, []testkit.Option{testkit.WithModel(f.model)}, more)...)
			f.agent = f.newAgent(`{"visibility":"public"}`)
			do(f)
		})
	}
}

func (f *chatFixture) newAgent(settings string) string {
	f.Helper()
	previous := f.agent
	defer func() { f.agent = previous }()
	f.agent = f.server.NewAgent(f, f.server.Key)
	f.change(settings)
	return f.agent
}

// change changes the settings of the agent.
func (f *chatFixture) change(settings string) {
	f.Helper()
	if r := f.server.Do(f, http.MethodPut, "/agents/"+f.agent, f.server.Key, settings); r.Status != http.StatusOK {
		f.Fatalf("%d %s", r.Status, r.Body)
	}
}

// reply is a reply of the public chat API.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// code returns the code of a failure; empty for a success.
func (r reply) code() string {
	var envelope struct{ Error struct{ Code string } }
	_ = json.Unmarshal(r.body, &envelope) // a stream is none
	return envelope.Error.Code
}

// open sends a request; the caller reads the reply.
func (f *chatFixture) open(method, path, token string, body any) *http.Response {
	f.Helper()
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			f.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(f.Context(), method, f.server.URL+"/api/chat/"+path, bytes.NewReader(content))
	if err != nil {
		f.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Visitor "+token)
	}
	maps.Copy(req.Header, f.header)
	res, err := f.client(req.URL.Path).Do(req)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// apiDocument is built once: it is the same for every server.
var apiDocument = sync.OnceValues(func() ([]byte, error) { return chatapi.Document("") })

// client returns a client that fails the test when a reply does not match the OpenAPI document. The bytes of a file are
// of any type.
func (f *chatFixture) client(path string) *http.Client {
	f.Helper()
	if strings.Contains(path, "/files/") {
		return http.DefaultClient
	}
	document, err := apiDocument()
	if err != nil {
		f.Fatal(err)
	}
	transport, err := testkit.NewValidatingTransport(chatapi.Base, document, http.DefaultTransport,
		func(err error) { f.Errorf("the contract is broken: %v", err) })
	if err != nil {
		f.Fatal(err)
	}
	return &http.Client{Transport: transport}
}

func (f *chatFixture) sendRequest(req *http.Request) reply {
	f.Helper()
	res, err := f.client(req.URL.Path).Do(req)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, text}
}

func (f *chatFixture) do(method, path, token string, body any) reply {
	f.Helper()
	res := f.open(method, path, token, body)
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		f.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, text.Bytes()}
}

type fields = map[string]any

// into decodes the data of a successful reply.
func (f *chatFixture) into(r reply, data any) {
	f.Helper()
	if r.status/100 != 2 {
		f.Fatalf("%d %s", r.status, r.body)
	}
	f.decode(r.body, &struct{ Data any }{data})
}

func (f *chatFixture) decode(text []byte, into any) {
	f.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		f.Fatalf("%v: %s", err, text)
	}
}

func (f *chatFixture) newVisitor() (token string) {
	f.Helper()
	var v struct{ Token string }
	f.into(f.do(http.MethodPost, f.agent+"/visitor", "", fields{"page": "https://shop.example/a?b=c"}), &v)
	return v.Token
}

// answer is what a stream holds.
type answer struct {
	text, turn, conversation, message, userMessage, finish string
}

// stream is an answer that is being read.
type stream struct {
	f     *chatFixture
	lines *bufio.Scanner
	answer
}

func (f *chatFixture) stream(res *http.Response) *stream {
	f.Helper()
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		f.Fatal(res.Status)
	}
	return &stream{f: f, lines: bufio.NewScanner(res.Body)}
}

// readUntil reads to the first event of a type, or to the end.
func (s *stream) readUntil(kind string) answer {
	s.f.Helper()
	for s.lines.Scan() {
		data, ok := strings.CutPrefix(s.lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var e struct {
			Type, Delta, MessageID, FinishReason string
			MessageMetadata                      struct{ TurnID, ConversationID, UserMessageID string }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.f.Fatal(err)
		}
		switch e.Type {
		case "start":
			s.turn, s.conversation, s.message = e.MessageMetadata.TurnID, e.MessageMetadata.ConversationID, e.MessageID
			s.userMessage = e.MessageMetadata.UserMessageID
		case "text-delta":
			s.text += e.Delta
		case "finish":
			s.finish = e.FinishReason
		}
		if e.Type == kind {
			return s.answer
		}
	}
	return s.answer
}

const toTheEnd = ""

func (f *chatFixture) send(token string, body fields) answer {
	f.Helper()
	return f.stream(f.open(http.MethodPost, f.agent+"/messages", token, body)).readUntil(toTheEnd)
}

func (f *chatFixture) follow(token, turn string) answer {
	f.Helper()
	return f.stream(f.open(http.MethodGet, f.agent+"/turns/"+turn+"/events", token, nil)).readUntil(toTheEnd)
}

type history struct {
	Status   string
	Answer   *struct{ TurnID, MessageID string }
	HasMore  bool
	Messages []struct {
		ID, Author, State, Feedback, Comment string
		Seq                                  int
		Parts                                []struct{ Text string }
	}
}

func (f *chatFixture) history(token, conversation string) (h history) {
	f.Helper()
	f.into(f.do(http.MethodGet, f.agent+"/conversation/"+conversation, token, nil), &h)
	return h
}

func TestVisitorConverses(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		first := f.send(token, fields{"message": "Hello", "page": "https://shop.example/hours?x=1"})
		if first.text != "Hello" || first.turn == "" || first.finish != "stop" {
			f.Fatalf("%+v", first)
		}
		second := f.send(token, fields{"message": "Again", "conversationId": first.conversation})
		if second.conversation != first.conversation {
			f.Error("another conversation")
		}
		h := f.history(token, first.conversation)
		if len(h.Messages) != 4 || h.Messages[3].Parts[0].Text != "Again" || h.Answer != nil || h.Messages[0].Seq != 1 {
			f.Errorf("%+v", h)
		}
		var list []struct{ ID string }
		f.into(f.do(http.MethodGet, f.agent+"/conversations", token, nil), &list)
		if len(list) != 1 || list[0].ID != first.conversation {
			f.Errorf("%+v", list)
		}
		exported := f.server.Do(f, http.MethodGet, "/agents/"+f.agent+"/conversations/export", f.server.Key, nil)
		for _, want := range []string{`"Widget or Iframe"`, `"https://shop.example/hours"`} {
			if !bytes.Contains(exported.Body, []byte(want)) {
				f.Errorf("the export lacks %s: %s", want, exported.Body)
			}
		}
	})
}

func TestAnswerIsFollowedAgain(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, barrier := f.newVisitor(), scripted.NewBarrier()
		f.model.AddScript(scripted.Text("It left "), scripted.Step{Barrier: barrier}, scripted.Text("on Monday."),
			scripted.Stop())
		sent := f.stream(f.open(http.MethodPost, f.agent+"/messages", token, fields{"message": "Where is it?"}))
		begun := sent.readUntil("text-delta")
		if h := f.history(token, begun.conversation); h.Answer == nil || h.Answer.TurnID != begun.turn ||
			len(h.Messages) != 1 {
			f.Fatalf("while it is written: %+v", h)
		}
		followed := f.stream(f.open(http.MethodGet, f.agent+"/turns/"+begun.turn+"/events", token, nil))
		followed.readUntil("text-delta")
		barrier.Release()
		first, second, third := sent.readUntil(toTheEnd), followed.readUntil(toTheEnd), f.follow(token, begun.turn)
		if first.text != "It left on Monday." || second != first || third != first {
			f.Errorf("sent %+v, followed %+v, afterwards %+v", first, second, third)
		}
	})
}

func TestAnswerIsStopped(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, barrier := f.newVisitor(), scripted.NewBarrier()
		f.model.AddScript(scripted.Text("It left "), scripted.Step{Barrier: barrier}, scripted.Text("on Monday."))
		sent := f.stream(f.open(http.MethodPost, f.agent+"/messages", token, fields{"message": "Where is it?"}))
		begun := sent.readUntil("text-delta")
		if r := f.do(http.MethodPost, f.agent+"/turns/"+begun.turn+"/stop", token, nil); r.status != http.StatusOK {
			f.Fatalf("%d %s", r.status, r.body)
		}
		sent.readUntil(toTheEnd)
		h := f.history(token, begun.conversation)
		if last := h.Messages[len(h.Messages)-1]; last.State != "interrupted" || last.Parts[0].Text != "It left " {
			f.Errorf("%+v", h.Messages)
		}
	})
}

func TestConversationOfSomebodyElseIsNotThere(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		own, stranger := f.newVisitor(), f.newVisitor()
		a := f.send(own, fields{"message": "Hello"})
		const nothing = "0199a000-0000-7000-8000-000000000000"
		for _, test := range []struct {
			method, path string
			body         func(conversation, turn string) any
		}{
			{http.MethodGet, "/conversation/{c}", nil},
			{http.MethodGet, "/conversation/{c}/events", nil},
			{http.MethodGet, "/turns/{t}/events", nil},
			{http.MethodPost, "/turns/{t}/stop", nil},
			{http.MethodPost, "/messages", func(c, _ string) any { return fields{"message": "Hi", "conversationId": c} }},
			{http.MethodPost, "/retry", func(c, _ string) any { return fields{"conversationId": c, "messageId": a.message} }},
			{http.MethodPost, "/conversation/{c}/messages", func(_, _ string) any { return fields{"message": "Hi"} }},
			{http.MethodPost, "/tool-result", func(c, _ string) any {
				return fields{"conversationId": c, "toolCallId": "x", "output": 1}
			}},
			{http.MethodPatch, "/messages/" + a.message + "/feedback", func(c, _ string) any {
				return fields{"conversationId": c, "feedback": "positive"}
			}},
		} {
			ask := func(conversation, turn string) reply {
				path := strings.NewReplacer("{c}", conversation, "{t}", turn).Replace(f.agent + test.path)
				var body any
				if test.body != nil {
					body = test.body(conversation, turn)
				}
				return f.do(test.method, path, stranger, body)
			}
			other, none := ask(a.conversation, a.turn), ask(nothing, nothing)
			if other.code() != "CONVERSATION_NOT_FOUND" || !bytes.Equal(other.body, none.body) ||
				other.status != none.status {
				f.Errorf("%s %s: %d %s, for none %d %s", test.method, test.path, other.status, other.body, none.status,
					none.body)
			}
		}
	})
}

func TestWhoIsRefused(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		private, named := f.newAgent(`{"visibility":"private"}`),
			f.newAgent(`{"visibility":"public","allowedDomains":["shop.example"]}`)
		for _, test := range []struct{ name, path, token, want string }{
			{"no token", f.agent + "/conversations", "", "AUTH_VISITOR_REQUIRED"},
			{"wrong token", f.agent + "/conversations", token + "x", "AUTH_VISITOR_REQUIRED"},
			{"another agent's token", named + "/conversations", token, "AUTH_VISITOR_REQUIRED"},
			{"private agent", private + "/conversations", token, "AGENT_NOT_FOUND"},
			{"no agent", "nothing/conversations", token, "AGENT_NOT_FOUND"},
			{"unknown path", f.agent + "/nothing", token, "NOT_FOUND"},
		} {
			if r := f.do(http.MethodGet, test.path, test.token, nil); r.code() != test.want {
				f.Errorf("%s: %s, want %s", test.name, r.body, test.want)
			}
		}
		f.agent = named
		token = f.newVisitor()
		if r := f.do(http.MethodPost, named+"/messages", token,
			fields{"message": "Hi", "page": "https://evil.example"}); r.code() != "AUTH_DOMAIN_NOT_ALLOWED" {
			f.Errorf("another site: %s", r.body)
		}
		if a := f.send(token, fields{"message": "Hi", "page": "https://www.shop.example/x"}); a.text != "Hi" {
			f.Errorf("its own site: %+v", a)
		}
	})
}

func TestAgentLimitsMessages(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.agent = f.newAgent(`{"visibility":"public","ipRateLimits":{"limit":2,"timeframe":60,"message":"Slowly, please"}}`)
		token := f.newVisitor()
		f.send(token, fields{"message": "1"})
		f.send(token, fields{"message": "2"})
		r := f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "3"})
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || !bytes.Contains(r.body, []byte("Slowly, please")) ||
			!bytes.Contains(r.body, []byte(`"reason":"own_words"`)) || r.header.Get("Retry-After") == "" {
			f.Errorf("%d %s, Retry-After %q", r.status, r.body, r.header.Get("Retry-After"))
		}
		f.agent = f.newAgent(`{"visibility":"public"}`) // whose words nobody has chosen
		token = f.newVisitor()
		for range 20 { // as many as an agent takes that has no limit of its own
			f.send(token, fields{"message": "1"})
		}
		r = f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "2"})
		if r.code() != "RATE_LIMIT_TOO_MANY_REQUESTS" || bytes.Contains(r.body, []byte("own_words")) {
			f.Errorf("%d %s", r.status, r.body)
		}
	}, testkit.WithClock(clock.New()))
}

func TestAnswerIsRated(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		a := f.send(token, fields{"message": "Hello"})
		r := f.do(http.MethodPatch, f.agent+"/messages/"+a.message+"/feedback", token,
			fields{"conversationId": a.conversation, "feedback": "negative", "comment": " The link is dead. "})
		if r.status != http.StatusOK {
			f.Fatalf("%s", r.body)
		}
		if m := f.history(token, a.conversation).Messages[1]; m.Feedback != "negative" || m.Comment != "The link is dead." {
			f.Errorf("%+v", m)
		}
		f.wantCode(f.do(http.MethodPatch, f.agent+"/messages/"+a.message+"/feedback", token, fields{
			"conversationId": a.conversation, "feedback": nil, "comment": "None"}), "VALIDATION_INVALID_BODY")
		again := f.stream(f.open(http.MethodPost, f.agent+"/retry", token,
			fields{"conversationId": a.conversation, "messageId": a.message})).readUntil(toTheEnd)
		if again.text != "Hello" || again.message == a.message {
			f.Errorf("answered again: %+v", again)
		}
	})
}
