package llm_test

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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/llm"
	"parley/internal/pcm"
)

// deepgramFake takes sound as Deepgram does; its script tells what it sends, and when.
type deepgramFake struct {
	url string

	mu    sync.Mutex
	asked []*http.Request
	words []string      // what it was told in text, by type
	news  chan struct{} // closed at the next of them, where somebody waits for it
	heard []int16
}

// frame is a message with its kind, which the library would hide.
type frame struct {
	binary bool
	data   []byte
}

var frames = websocket.Codec{
	Marshal: func(v any) ([]byte, byte, error) { return v.([]byte), websocket.TextFrame, nil },
	Unmarshal: func(data []byte, kind byte, v any) error {
		*v.(*frame) = frame{kind == websocket.BinaryFrame, slices.Clone(data)}
		return nil
	},
}

// line is what a script sees of a connection.
type line struct {
	*websocket.Conn
	fake *deepgramFake
}

func (l line) say(messages ...string) {
	for _, m := range messages {
		_ = frames.Send(l.Conn, []byte(m))
	}
}

// next gives the next word that the client says in text; sound before it is gathered.
func (l line) next() string {
	for {
		var f frame
		if err := frames.Receive(l.Conn, &f); err != nil {
			return ""
		}
		l.fake.mu.Lock()
		if f.binary {
			l.fake.heard = append(l.fake.heard, pcm.FromBytes(f.data)...)
			l.fake.mu.Unlock()
			continue
		}
		word := string(f.data)
		l.fake.words = append(l.fake.words, word)
		if l.fake.news != nil {
			close(l.fake.news)
			l.fake.news = nil
		}
		l.fake.mu.Unlock()
		return word
	}
}

func (f *deepgramFake) told() ([]string, []int16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.words), slices.Clone(f.heard)
}

// awaits waits until what it was told is enough.
func (f *deepgramFake) awaits(t *testing.T, done func(words []string) bool) {
	t.Helper()
	for late := time.After(5 * time.Second); ; {
		f.mu.Lock()
		if done(f.words) {
			f.mu.Unlock()
			return
		}
		if f.news == nil {
			f.news = make(chan struct{})
		}
		news := f.news
		f.mu.Unlock()
		select {
		case <-news:
		case <-late:
			words, _ := f.told()
			t.Fatalf("it was told only %v", words)
		}
	}
}

const (
	keepAlive = `{"type":"KeepAlive"}`
	finalize  = `{"type":"Finalize"}`
	closing   = `{"type":"CloseStream"}`
)

// startDeepgram plays one script for each connection, the last one for all further ones.
func startDeepgram(t *testing.T, scripts ...func(line)) *deepgramFake {
	f := &deepgramFake{}
	web := httptest.NewServer(websocket.Server{
		Handshake: func(_ *websocket.Config, r *http.Request) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.asked = append(f.asked, r)
			return nil
		},
		Handler: func(c *websocket.Conn) {
			f.mu.Lock()
			script := scripts[min(len(f.asked), len(scripts))-1]
			f.mu.Unlock()
			script(line{c, f})
		},
	})
	f.url = web.URL + "/v1"
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return f
}

func dialDeepgram(t *testing.T, url string) *llm.Deepgram {
	d := &llm.Deepgram{Model: "nova-3", FinalWait: 500 * time.Millisecond, KeepAlive: time.Hour}
	d.SpeechServer = llm.SpeechServer{BaseURL: url, Key: "sk-very-secret", FirstByte: 500 * time.Millisecond, Backoff: time.Millisecond}
	t.Cleanup(d.Close)
	return d
}

func recordedLines(t *testing.T, name string) []string {
	return strings.Split(strings.TrimSpace(string(recorded(t, name))), "\n")
}

const late = "Where is my order? It is late."

// hears is Deepgram at its best.
func hears(t *testing.T) func(line) {
	interim, final := recordedLines(t, "deepgram.jsonl"), recordedLines(t, "deepgram-finalized.jsonl")
	return func(l line) {
		l.say(interim...)
		for word := l.next(); word != finalize; word = l.next() {
			if word == "" {
				return
			}
		}
		l.say(final[0])
		l.next()
		l.say(final[1])
	}
}

func TestDeepgramUnderstandsASegment(t *testing.T) {
	f := startDeepgram(t, hears(t))
	seg := llm.Segment{Hints: llm.Hints{Model: "nova-2", Language: "multi"}, PCM: hum(16_000, 3*time.Second)}
	got := understand(t, dialDeepgram(t, f.url).Transcribe(t.Context(), seg))
	if got.err != nil || got.final == nil || *got.final != late {
		t.Fatalf("%+v", got)
	}
	if want := []string{"where", order, order + " It"}; !slices.Equal(got.interim[:min(3, len(got.interim))], want) {
		t.Error(got.interim)
	}
	words, heard := f.told()
	if !slices.Equal(heard, seg.PCM) || !slices.Equal(words[:1], []string{finalize}) {
		t.Errorf("%d samples, %v", len(heard), words)
	}
	q := f.asked[0].URL.Query()
	if f.asked[0].URL.Path != "/v1/listen" || q.Get("model") != "nova-2" || q.Get("language") != "multi" || q.Get("encoding") != "linear16" ||
		q.Get("sample_rate") != "16000" || q.Get("interim_results") != "true" || f.asked[0].Header.Get("Authorization") != "Token sk-very-secret" {
		t.Error(f.asked[0].URL, f.asked[0].Header)
	}
}

// While somebody speaks the text grows; it is whole when they have ended.
func TestDeepgramListens(t *testing.T) {
	f := startDeepgram(t, hears(t))
	d := dialDeepgram(t, strings.Replace(f.url, "http", "ws", 1))
	said := make(chan llm.Transcript, 10)
	l := d.Listen(t.Context(), llm.Hints{}, func(s llm.Transcript) { said <- s })
	defer l.Close()
	in := hum(16_000, time.Second)
	for part := range slices.Chunk(in, 320) {
		l.Add(part)
	}
	if a, b := <-said, <-said; a != (llm.Transcript{Text: "where"}) || b != (llm.Transcript{Text: order, Pause: true}) {
		t.Error(a, b)
	}
	if text, err := l.End(t.Context()); err != nil || text != late {
		t.Fatal(text, err)
	}
	if text, err := l.End(t.Context()); err != nil || text != late {
		t.Error("the second End:", text, err)
	}
	if words, heard := f.told(); !slices.Equal(heard, in) || words[0] != finalize {
		t.Error(words, len(heard))
	}
}

// In long silence the line is kept by a word.
func TestDeepgramKeepsTheLine(t *testing.T) {
	f := startDeepgram(t, hears(t))
	d := dialDeepgram(t, f.url)
	d.KeepAlive = 20 * time.Millisecond
	l := d.Listen(t.Context(), llm.Hints{}, func(llm.Transcript) {})
	defer l.Close()
	l.Add(hum(16_000, 20*time.Millisecond))
	f.awaits(t, func(words []string) bool { return len(words) >= 2 && words[1] == keepAlive })
	if text, err := l.End(t.Context()); err != nil || text != late {
		t.Error(text, err)
	}
}

// A line that is cut is made again, and the sound sent from its beginning.
func TestDeepgramDialsAgain(t *testing.T) {
	f := startDeepgram(t, func(l line) { _ = l.Close() }, hears(t))
	l := dialDeepgram(t, f.url).Listen(t.Context(), llm.Hints{}, func(llm.Transcript) {})
	defer l.Close()
	in := hum(16_000, time.Second)
	l.Add(in)
	if text, err := l.End(t.Context()); err != nil || text != late {
		t.Fatal(text, err)
	}
	if _, heard := f.told(); !slices.Equal(heard[max(0, len(heard)-len(in)):], in) {
		t.Errorf("%d samples", len(heard))
	}
}

// A server that answers neither word still gives what it has understood, when the patience is over.
func TestDeepgramWithoutLastWords(t *testing.T) {
	f := startDeepgram(t, func(l line) {
		l.say(recordedLines(t, "deepgram.jsonl")...)
		for l.next() != "" {
			continue
		}
	})
	got := understand(t, dialDeepgram(t, f.url).Transcribe(t.Context(), question16()))
	if got.err != nil || *got.final != order+" It" {
		t.Errorf("%+v", got)
	}
}

// Nothing intelligible is an empty text.
func TestDeepgramHearsNothing(t *testing.T) {
	f := startDeepgram(t, func(l line) {
		l.next()
		l.say(`{"type":"Results","is_final":true,"from_finalize":true,"channel":{"alternatives":[{"transcript":""}]}}`)
	})
	if got := understand(t, dialDeepgram(t, f.url).Transcribe(t.Context(), question16())); got.err != nil || *got.final != "" {
		t.Errorf("%+v", got)
	}
	l := dialDeepgram(t, f.url).Listen(t.Context(), llm.Hints{}, func(llm.Transcript) {})
	defer l.Close()
	if text, err := l.End(t.Context()); err != nil || text != "" {
		t.Error(text, err)
	}
}

// A server that would rather speak HTTP/2 is asked in HTTP/1.1: there are no WebSockets otherwise.
func TestDeepgramOverTLS(t *testing.T) {
	f := startDeepgram(t, hears(t))
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
	d := dialDeepgram(t, strings.Replace(web.URL, "https", "wss", 1)+"/v1")
	d.HTTP = web.Client()
	if got := understand(t, d.Transcribe(t.Context(), question16())); got.err != nil || *got.final != late {
		t.Errorf("%+v", got)
	}
}

func TestBadDeepgramServers(t *testing.T) {
	says := func(messages ...string) func(line) {
		return func(l line) {
			l.say(messages...)
			for l.next() != "" {
				continue
			}
		}
	}
	for name, script := range map[string]func(line){
		"silent": says(), "garbage": says("<html>"), "no object": says(`[1,2]`), "number": says(`7`),
		"odd result": says(`{"type":"Results","channel":"sk-very-secret"}`),
		"failure":    says(`{"type":"Error","description":"sk-very-secret is no good","variant":"x"}`),
		"cut":        func(l line) { l.next(); _ = l.Close() },
		"long":       says(`{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"` + strings.Repeat("na ", 1<<19) + `"}]}}`),
		"endless": func(l line) {
			m := `{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"` + strings.Repeat("na ", 1<<14) + `"}]}}`
			for frames.Send(l.Conn, []byte(m)) == nil {
				continue
			}
		},
		"closed with a reason": func(l line) { _ = l.WriteClose(1011) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startDeepgram(t, script)
			d := dialDeepgram(t, f.url)
			within(t, 10*time.Second, name, func() {
				checkSpeechFailure(t, understand(t, d.Transcribe(t.Context(), question16())).err)
			})
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.asked) > 2 {
				t.Errorf("%d lines", len(f.asked))
			}
		})
	}
}

// What the server says in place of a WebSocket is its refusal.
func TestDeepgramRefuses(t *testing.T) {
	for status, most := range map[int]int{401: 1, 402: 1, 404: 1, 429: 2, 500: 2, 200: 1, 302: 1} {
		f := serve(t, refuses(status, "Retry-After", "1"))
		checkSpeechFailure(t, understand(t, dialDeepgram(t, f.url).Transcribe(t.Context(), question16())).err)
		if n := f.requests(); n != most {
			t.Errorf("%d: %d requests", status, n)
		}
	}
	f := serve(t, nil)
	f.answers[0] = func(_ http.ResponseWriter, r *http.Request) { f.stalls(r) }
	within(t, 5*time.Second, "a server that says nothing", func() {
		checkSpeechFailure(t, understand(t, dialDeepgram(t, f.url).Transcribe(t.Context(), question16())).err)
	})
	checkSpeechFailure(t, understand(t, dialDeepgram(t, "http://127.0.0.1:1/v1").Transcribe(t.Context(), question16())).err)
}

// Who hangs up, or has heard enough, is not waited for.
func TestDeepgramHangsUp(t *testing.T) {
	f := startDeepgram(t, func(l line) {
		l.say(recordedLines(t, "deepgram.jsonl")...)
		for l.next() != "" {
			continue
		}
	})
	d := dialDeepgram(t, f.url)
	for range d.Transcribe(t.Context(), question16()) {
		break
	}
	for _, hangUp := range []func(llm.Dictation, context.CancelFunc){
		func(l llm.Dictation, _ context.CancelFunc) { l.Close() }, func(_ llm.Dictation, stop context.CancelFunc) { stop() },
	} {
		ctx, stop := context.WithCancel(t.Context())
		l := d.Listen(ctx, llm.Hints{}, func(llm.Transcript) {})
		l.Add(hum(16_000, 100*time.Millisecond))
		hangUp(l, stop)
		within(t, 5*time.Second, "hanging up", func() {
			if _, err := l.End(t.Context()); err == nil {
				t.Error("a text of a line that was hung up")
			}
		})
		stop()
		l.Close()
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("in a hurry"))
	defer stop()
	l := d.Listen(t.Context(), llm.Hints{}, func(llm.Transcript) {})
	defer l.Close()
	l.Add(hum(16_000, 100*time.Millisecond))
	if _, err := l.End(ctx); err == nil {
		t.Error("End did not give up")
	}
}

// rawSocket speaks WebSocket by hand, well or badly.
func rawSocket(t *testing.T, answer func(key string) string, after func(send func(b ...byte))) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
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

func accepts(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// text makes a frame as servers send it.
func textFrame(first byte, text string) []byte {
	b := []byte{first, byte(len(text))}
	if len(text) >= 126 {
		b = binary.BigEndian.AppendUint16([]byte{first, 126}, uint16(len(text)))
	}
	return append(b, text...)
}

// Messages may come in fragments, with pings between them.
func TestSocketJoinsFragments(t *testing.T) {
	final := recordedLines(t, "deepgram-finalized.jsonl")[0]
	url := rawSocket(t, accepts, func(send func(...byte)) {
		send(slices.Concat(textFrame(0x01, final[:50]), []byte{0x89, 2, 'h', 'i', 0x8A, 0}, textFrame(0x00, final[50:200]), textFrame(0x80, final[200:]))...)
	})
	got := understand(t, dialDeepgram(t, url).Transcribe(t.Context(), question16()))
	if got.err != nil || *got.final != "It is late." {
		t.Errorf("%+v", got)
	}
}

func TestBadSockets(t *testing.T) {
	huge := binary.BigEndian.AppendUint64([]byte{0x81, 127}, 1<<62)
	for name, b := range map[string][]byte{
		"a mask": {0x81, 0x80, 1, 2, 3, 4}, "an extension": {0xC1, 0}, "a long ping": append([]byte{0x89, 126, 0, 126}, make([]byte, 126)...),
		"a ping in pieces": {0x09, 0}, "an odd kind": {0x83, 0}, "a continuation of nothing": {0x80, 0}, "a message in a message": {0x01, 0, 0x81, 0},
		"no end": {0x81}, "half a length": {0x81, 126, 1}, "half a message": {0x81, 5, 'x'}, "too long": huge,
		"too long in pieces": bytes.Repeat(append(binary.BigEndian.AppendUint16([]byte{0x00, 126}, 65_535), make([]byte, 65_535)...), 20),
		"closed":             {0x88, 4, 0x03, 0xF3, 'n', 'o'}, "closed without a reason": {0x88, 0},
	} {
		if name == "too long in pieces" {
			b[0] = 0x01
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := rawSocket(t, accepts, func(send func(...byte)) { send(b...) })
			d := dialDeepgram(t, url)
			within(t, 10*time.Second, name, func() {
				checkSpeechFailure(t, understand(t, d.Transcribe(t.Context(), question16())).err)
			})
		})
	}
	url := rawSocket(t, func(string) string { return "yes" }, func(func(...byte)) {})
	checkSpeechFailure(t, understand(t, dialDeepgram(t, url).Transcribe(t.Context(), question16())).err)
}
