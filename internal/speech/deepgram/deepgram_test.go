package deepgram_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/testkit/check"
	"parley/internal/testkit/speechtest"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// server receives sound as Deepgram does; its scripts determine what it sends and when.
type server struct {
	url string

	mu       sync.Mutex
	requests []*http.Request
	messages []string      // the text messages that it received, by type
	changed  chan struct{} // closed at the next message; may be nil
	samples  []int16
}

// webSocketFrame is a message with its kind, which the library would hide.
type webSocketFrame struct {
	isBinary bool
	data     []byte
}

var frameCodec = websocket.Codec{
	Marshal: func(v any) ([]byte, byte, error) { return v.([]byte), websocket.TextFrame, nil },
	Unmarshal: func(data []byte, kind byte, v any) error {
		*v.(*webSocketFrame) = webSocketFrame{kind == websocket.BinaryFrame, slices.Clone(data)}
		return nil
	},
}

// conn is a connection as scripts use it.
type conn struct {
	*websocket.Conn
	server *server
}

func (c conn) send(messages ...string) {
	for _, m := range messages {
		_ = frameCodec.Send(c.Conn, []byte(m))
	}
}

// receive returns the type of the client's next text message; sound before it is collected.
func (c conn) receive() string {
	for {
		var f webSocketFrame
		if err := frameCodec.Receive(c.Conn, &f); err != nil {
			return ""
		}
		c.server.mu.Lock()
		if f.isBinary {
			c.server.samples = append(c.server.samples, audio.FromBytes(f.data)...)
			c.server.mu.Unlock()
			continue
		}
		word := string(f.data)
		c.server.messages = append(c.server.messages, word)
		if c.server.changed != nil {
			close(c.server.changed)
			c.server.changed = nil
		}
		c.server.mu.Unlock()
		return word
	}
}

func (s *server) received() ([]string, []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages), slices.Clone(s.samples)
}

// waitForMessages waits until enough messages have come. The minute only guards against waiting without end.
func (s *server) waitForMessages(t *testing.T, done func(words []string) bool) {
	t.Helper()
	for late := time.After(time.Minute); ; {
		s.mu.Lock()
		if done(s.messages) {
			s.mu.Unlock()
			return
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		news := s.changed
		s.mu.Unlock()
		select {
		case <-news:
		case <-late:
			words, _ := s.received()
			t.Fatalf("it got only %v", words)
		}
	}
}

const (
	keepAlive   = `{"type":"KeepAlive"}`
	finalize    = `{"type":"Finalize"}`
	closeStream = `{"type":"CloseStream"}`
)

// startDeepgramServer plays one script for each connection, the last one for all further ones.
func startDeepgramServer(t *testing.T, scripts ...func(conn)) *server {
	f := &server{}
	web := httptest.NewServer(websocket.Server{
		Handshake: func(_ *websocket.Config, r *http.Request) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.requests = append(f.requests, r)
			return nil
		},
		Handler: func(c *websocket.Conn) {
			f.mu.Lock()
			script := scripts[min(len(f.requests), len(scripts))-1]
			f.mu.Unlock()
			script(conn{c, f})
		},
	})
	f.url = web.URL + "/v1"
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return f
}

func newDeepgram(t *testing.T, url string) *deepgram.Transcriber {
	d := &deepgram.Transcriber{Model: "nova-3", FinalTimeout: time.Minute, FlushTimeout: time.Minute,
		ReuseTimeout: time.Hour, KeepAliveInterval: time.Hour,
		Client: httpclient.Client{
			BaseURL:          url,
			Key:              "sk-very-secret",
			FirstByteTimeout: time.Minute,
			Backoff:          time.Millisecond,
		}}
	t.Cleanup(d.Close)
	return d
}

// newImpatientDeepgram is newDeepgram for servers that say nothing, or nothing of use: it does not wait for long.
func newImpatientDeepgram(t *testing.T, url string) *deepgram.Transcriber {
	d := newDeepgram(t, url)
	d.FlushTimeout, d.FinalTimeout, d.FirstByteTimeout = 20*time.Millisecond, 200*time.Millisecond, 500*time.Millisecond
	return d
}

func readRecordedLines(t *testing.T, name string) []string {
	return strings.Split(strings.TrimSpace(string(speechtest.ReadRecording(t, name))), "\n")
}

const lateOrderText = "Where is my order? It is late."

// answerOneSegment answers as Deepgram does when all is well.
func answerOneSegment(t *testing.T) func(conn) {
	interim, final := readRecordedLines(t, "first.jsonl"), readRecordedLines(t, "finalized.jsonl")
	return func(l conn) {
		l.send(interim...)
		for word := l.receive(); word != finalize; word = l.receive() {
			if word == "" {
				return
			}
		}
		l.send(final[0])
		l.receive()
		l.send(final[1])
	}
}

func TestTranscribeSegment(t *testing.T) {
	f := startDeepgramServer(t, answerOneSegment(t))
	seg := speech.Segment{TranscriptionHints: speech.TranscriptionHints{Model: "nova-2", Language: "multi"},
		PCM: speechtest.NewTone(16_000, 3*time.Second)}
	got := speechtest.CollectTranscript(t, newDeepgram(t, f.url).Transcribe(t.Context(), seg))
	if got.Err != nil || got.Final == nil || *got.Final != lateOrderText {
		t.Fatalf("%+v", got)
	}
	if want := []string{"where", speechtest.OrderTranscript,
		speechtest.OrderTranscript + " It"}; !slices.Equal(got.Interim[:min(3, len(got.Interim))], want) {
		t.Error(got.Interim)
	}
	words, samples := f.received()
	if !slices.Equal(samples, seg.PCM) || !slices.Equal(words[:1], []string{finalize}) {
		t.Errorf("%d samples, %v", len(samples), words)
	}
	q := f.requests[0].URL.Query()
	if f.requests[0].URL.Path != "/v1/listen" || q.Get("model") != "nova-2" || q.Get("language") != "multi" ||
		q.Get("encoding") != "linear16" ||
		q.Get("sample_rate") != "16000" || q.Get("interim_results") != "true" ||
		f.requests[0].Header.Get("Authorization") != "Token sk-very-secret" {
		t.Error(f.requests[0].URL, f.requests[0].Header)
	}
}

// The text grows while somebody speaks and is complete when they have finished.
func TestLiveTranscription(t *testing.T) {
	f := startDeepgramServer(t, answerOneSegment(t))
	d := newDeepgram(t, strings.Replace(f.url, "http", "ws", 1))
	transcripts := make(chan speech.Transcript, 10)
	l := d.StartTranscription(t.Context(), speech.TranscriptionHints{}, func(s speech.Transcript) { transcripts <- s })
	defer l.Close()
	in := speechtest.NewTone(16_000, time.Second)
	for part := range slices.Chunk(in, 320) {
		l.Add(part)
	}
	if a, b := <-transcripts, <-transcripts; a != (speech.Transcript{Text: "where"}) ||
		b != (speech.Transcript{Text: speechtest.OrderTranscript, IsPause: true}) {
		t.Error(a, b)
	}
	if text, err := l.End(t.Context()); err != nil || text != lateOrderText {
		t.Fatal(text, err)
	}
	if text, err := l.End(t.Context()); err != nil || text != lateOrderText {
		t.Error("the second End:", text, err)
	}
	if words, samples := f.received(); !slices.Equal(samples, in) || words[0] != finalize {
		t.Error(words, len(samples))
	}
}

// In long silence keep-alive messages are sent.
func TestKeepAliveWhileNobodySpeaks(t *testing.T) {
	f := startDeepgramServer(t, answerOneSegment(t))
	d := newDeepgram(t, f.url)
	d.KeepAliveInterval = 20 * time.Millisecond
	l := d.StartTranscription(t.Context(), speech.TranscriptionHints{}, func(speech.Transcript) {})
	defer l.Close()
	l.Add(speechtest.NewTone(16_000, 20*time.Millisecond))
	f.waitForMessages(t, func(words []string) bool { return len(words) >= 2 && words[1] == keepAlive })
	if text, err := l.End(t.Context()); err != nil || text != lateOrderText {
		t.Error(text, err)
	}
}

// A connection that is cut is opened again, and the sound is sent from its beginning.
func TestLostConnectionIsOpenedAgain(t *testing.T) {
	f := startDeepgramServer(t, func(l conn) { _ = l.Close() }, answerOneSegment(t))
	l := newDeepgram(t, f.url).StartTranscription(t.Context(), speech.TranscriptionHints{}, func(speech.Transcript) {})
	defer l.Close()
	in := speechtest.NewTone(16_000, time.Second)
	l.Add(in)
	if text, err := l.End(t.Context()); err != nil || text != lateOrderText {
		t.Fatal(text, err)
	}
	if _, samples := f.received(); !slices.Equal(samples[max(0, len(samples)-len(in)):], in) {
		t.Errorf("%d samples", len(samples))
	}
}

// A server that answers neither message still has its last interim text used, after the final timeout.
func TestServerThatSendsNoFinalText(t *testing.T) {
	f := startDeepgramServer(t, func(l conn) {
		l.send(readRecordedLines(t, "first.jsonl")...)
		for l.receive() != "" {
			continue
		}
	})
	texts := make(chan string, 100)
	d := newDeepgram(t, f.url)
	d.FlushTimeout, d.FinalTimeout = 20*time.Millisecond, 200*time.Millisecond
	l := d.StartTranscription(t.Context(), speech.TranscriptionHints{},
		func(s speech.Transcript) { texts <- s.Text })
	defer l.Close()
	l.Add(speechtest.NewTone(16_000, time.Second))
	speechtest.RequireEnd(t, "hearing", func() {
		for <-texts != speechtest.OrderTranscript+" It" {
			continue
		}
	})
	if text, err := l.End(t.Context()); err != nil || text != speechtest.OrderTranscript+" It" {
		t.Error(text, err)
	}
}

// Sound without intelligible speech has an empty text.
func TestSilentSegment(t *testing.T) {
	f := startDeepgramServer(t, func(l conn) {
		l.receive()
		l.send(`{"type":"Results","is_final":true,"from_finalize":true,"channel":{"alternatives":[{"transcript":""}]}}`)
	})
	if got := speechtest.CollectTranscript(t,
		newDeepgram(t, f.url).Transcribe(t.Context(), speechtest.NewSegment())); got.Err != nil || *got.Final != "" {
		t.Errorf("%+v", got)
	}
	l := newDeepgram(t, f.url).StartTranscription(t.Context(), speech.TranscriptionHints{}, func(speech.Transcript) {})
	defer l.Close()
	if text, err := l.End(t.Context()); err != nil || text != "" {
		t.Error(text, err)
	}
}

// A server that prefers HTTP/2 is asked in HTTP/1.1, which WebSockets need.
func TestTranscribeOverTLS(t *testing.T) {
	f := startDeepgramServer(t, answerOneSegment(t))
	plain, err := url.Parse(strings.TrimSuffix(f.url, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(plain))
	web.EnableHTTP2 = true
	web.StartTLS()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	d := newDeepgram(t, strings.Replace(web.URL, "https", "wss", 1)+"/v1")
	d.HTTP = web.Client()
	if got := speechtest.CollectTranscript(t, d.Transcribe(t.Context(), speechtest.NewSegment())); got.Err != nil ||
		*got.Final != lateOrderText {
		t.Errorf("%+v", got)
	}
}

func TestMisbehavingDeepgramServers(t *testing.T) {
	sendAll := func(messages ...string) func(conn) {
		return func(l conn) {
			l.send(messages...)
			for l.receive() != "" {
				continue
			}
		}
	}
	for name, script := range map[string]func(conn){
		"silent": sendAll(), "garbage": sendAll("<html>"), "no object": sendAll(`[1,2]`), "number": sendAll(`7`),
		"odd result": sendAll(`{"type":"Results","channel":"sk-very-secret"}`),
		"failure":    sendAll(`{"type":"Error","description":"sk-very-secret is no good","variant":"x"}`),
		"cut":        func(l conn) { l.receive(); _ = l.Close() },
		"long": sendAll(`{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"` +
			strings.Repeat("na ", 1<<19) + `"}]}}`),
		"endless": func(l conn) {
			m := `{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"` + strings.Repeat("na ",
				1<<14) + `"}]}}`
			for frameCodec.Send(l.Conn, []byte(m)) == nil {
				continue
			}
		},
		"closed with a reason": func(l conn) { _ = l.WriteClose(1011) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startDeepgramServer(t, script)
			d := newImpatientDeepgram(t, f.url)
			if name == "endless" {
				d = newDeepgram(t, f.url) // it ends when there is too much
			}
			speechtest.RequireEnd(t, name, func() {
				speechtest.CheckFailure(t, speechtest.CollectTranscript(t, d.Transcribe(t.Context(), speechtest.NewSegment())).Err)
			})
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.requests) > 2 {
				t.Errorf("%d lines", len(f.requests))
			}
		})
	}
}

// A response that does not open a WebSocket is an error.
func TestRefusedConnections(t *testing.T) {
	for status, maxCalls := range map[int]int{401: 1, 402: 1, 404: 1, 429: 2, 500: 2, 200: 1, 302: 1} {
		f := speechtest.StartServer(t, speechtest.RefuseWith(status, "Retry-After", "1"))
		speechtest.CheckFailure(t,
			speechtest.CollectTranscript(t, newDeepgram(t, f.URL).Transcribe(t.Context(), speechtest.NewSegment())).Err)
		if n := f.RequestCount(); n != maxCalls {
			t.Errorf("%d: %d requests", status, n)
		}
	}
	f := speechtest.StartServer(t, nil)
	f.Handlers[0] = func(_ http.ResponseWriter, r *http.Request) { f.Stall(r) }
	speechtest.RequireEnd(t, "a server that says nothing", func() {
		speechtest.CheckFailure(t,
			speechtest.CollectTranscript(t, newImpatientDeepgram(t, f.URL).Transcribe(t.Context(), speechtest.NewSegment())).Err)
	})
	speechtest.CheckFailure(t, speechtest.CollectTranscript(t,
		newDeepgram(t, "http://127.0.0.1:1/v1").Transcribe(t.Context(), speechtest.NewSegment())).Err)
}

// A caller that cancels, or stops reading, does not block the transcriber.
func TestCancelledTranscriptionDisconnects(t *testing.T) {
	f := startDeepgramServer(t, func(l conn) {
		l.send(readRecordedLines(t, "first.jsonl")...)
		for l.receive() != "" {
			continue
		}
	})
	d := newDeepgram(t, f.url)
	for range d.Transcribe(t.Context(), speechtest.NewSegment()) {
		break
	}
	for _, hangUp := range []func(speech.LiveTranscription, context.CancelFunc){
		func(l speech.LiveTranscription, _ context.CancelFunc) {
			l.Close()
		}, func(_ speech.LiveTranscription, stop context.CancelFunc) { stop() },
	} {
		ctx, stop := context.WithCancel(t.Context())
		l := d.StartTranscription(ctx, speech.TranscriptionHints{}, func(speech.Transcript) {})
		l.Add(speechtest.NewTone(16_000, 100*time.Millisecond))
		hangUp(l, stop)
		speechtest.RequireEnd(t, "hanging up", func() {
			if _, err := l.End(t.Context()); err == nil {
				t.Error("a text of a line that was hung up")
			}
		})
		stop()
		l.Close()
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("in a hurry"))
	defer stop()
	l := d.StartTranscription(t.Context(), speech.TranscriptionHints{}, func(speech.Transcript) {})
	defer l.Close()
	l.Add(speechtest.NewTone(16_000, 100*time.Millisecond))
	if _, err := l.End(ctx); err == nil {
		t.Error("End did not give up")
	}
}

// startRawSocket starts a WebSocket server whose frames the test writes, valid or not.
func startRawSocket(t *testing.T, answer func(key string) string, after func(send func(b ...byte))) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: " +
			"Upgrade\r\nSec-WebSocket-Accept: " +
			answer(r.Header.Get("Sec-WebSocket-Key")) + "\r\n\r\n"))
		after(func(b ...byte) { _, _ = conn.Write(b) })
		_, _ = bufio.NewReader(rw).WriteTo(&bytes.Buffer{})
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL + "/v1"
}

func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// text returns a frame as servers send it.
func newTextFrame(first byte, text string) []byte {
	b := []byte{first, byte(len(text))}
	if len(text) >= 126 {
		b = binary.BigEndian.AppendUint16([]byte{first, 126}, uint16(len(text)))
	}
	return append(b, text...)
}

// Messages may come in fragments, with pings between them.
func TestSocketJoinsFragments(t *testing.T) {
	final := readRecordedLines(t, "finalized.jsonl")[0]
	url := startRawSocket(t, acceptKey, func(send func(...byte)) {
		send(slices.Concat(newTextFrame(0x01, final[:50]), []byte{0x89, 2, 'h', 'i', 0x8A, 0},
			newTextFrame(0x00, final[50:200]), newTextFrame(0x80, final[200:]))...)
	})
	got := speechtest.CollectTranscript(t, newDeepgram(t, url).Transcribe(t.Context(), speechtest.NewSegment()))
	if got.Err != nil || *got.Final != "It is late." {
		t.Errorf("%+v", got)
	}
}

func TestInvalidFrames(t *testing.T) {
	huge := binary.BigEndian.AppendUint64([]byte{0x81, 127}, 1<<62)
	for name, b := range map[string][]byte{
		"a mask": {0x81, 0x80, 1, 2, 3, 4}, "an extension": {0xC1, 0},
		"a long ping":      append([]byte{0x89, 126, 0, 126}, make([]byte, 126)...),
		"a ping in pieces": {0x09, 0}, "an odd kind": {0x83, 0}, "a continuation of nothing": {0x80, 0},
		"a message in a message": {0x01, 0, 0x81, 0},
		"no end":                 {0x81}, "half a length": {0x81, 126, 1}, "half a message": {0x81, 5, 'x'}, "too long": huge,
		"too long in pieces": bytes.Repeat(append(binary.BigEndian.AppendUint16([]byte{0x00, 126}, 65_535),
			make([]byte, 65_535)...), 20),
		"closed": {0x88, 4, 0x03, 0xF3, 'n', 'o'}, "closed without a reason": {0x88, 0},
	} {
		if name == "too long in pieces" {
			b[0] = 0x01
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := startRawSocket(t, acceptKey, func(send func(...byte)) { send(b...) })
			d := newImpatientDeepgram(t, url)
			speechtest.RequireEnd(t, name, func() {
				speechtest.CheckFailure(t, speechtest.CollectTranscript(t, d.Transcribe(t.Context(), speechtest.NewSegment())).Err)
			})
		})
	}
	url := startRawSocket(t, func(string) string { return "yes" }, func(func(...byte)) {})
	speechtest.CheckFailure(t,
		speechtest.CollectTranscript(t, newDeepgram(t, url).Transcribe(t.Context(), speechtest.NewSegment())).Err)
}

// The server is asked for its own name of the model that an agent has chosen, or for the configured one.
func TestModelNames(t *testing.T) {
	for model, name := range map[string]string{"": "nova-2", "nova-9": "nova-9"} {
		f := startDeepgramServer(t, answerOneSegment(t))
		engines, err := speech.NewEngines(speech.Config{
			Transcribers: []speech.TranscriberEngine{deepgram.Engine()}, STT: "deepgram", STTURL: f.url, STTModel: model,
		})
		if err != nil {
			t.Fatal(err)
		}
		l := engines.Transcriber.(speech.LiveTranscriber).StartTranscription(t.Context(),
			speech.TranscriptionHints{Model: "deepgram/nova-2"}, func(speech.Transcript) {})
		l.Add(speechtest.NewTone(16_000, time.Second))
		if text, err := l.End(t.Context()); err != nil || text != lateOrderText ||
			f.requests[0].URL.Query().Get("model") != name {
			t.Error(text, err, f.requests[0].URL)
		}
		l.Close()
		engines.Close()
	}
}
