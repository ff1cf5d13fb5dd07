package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/httpapi"
	"parley/internal/listen"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// channelFeed sends what comes on a channel: a text, or a panic for "panic".
type channelFeed struct {
	out    *httpapi.Stream
	texts  chan string
	closed chan struct{}
}

func (f *channelFeed) SendNext(ctx context.Context) error {
	select {
	case text, ok := <-f.texts:
		if !ok {
			return io.EOF
		}
		if text == "panic" {
			panic(text)
		}
		f.out.SendRaw([]byte(text))
		return f.out.Flush()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *channelFeed) Close() { close(f.closed) }

func newChannelFeed(out *httpapi.Stream) *channelFeed {
	return &channelFeed{out, make(chan string), make(chan struct{})}
}

// listFeed sends the texts of a list, and tells when there is one more.
type listFeed struct {
	out    *httpapi.Stream
	closed chan struct{}
	mu     sync.Mutex
	texts  []string
	isOver bool
	wake   func()
}

func newListFeed(out *httpapi.Stream) *listFeed {
	return &listFeed{out: out, closed: make(chan struct{}), wake: func() {}}
}

func (f *listFeed) SendNext(ctx context.Context) error {
	f.mu.Lock()
	texts, isOver := f.texts, f.isOver
	f.texts = nil
	f.mu.Unlock()
	switch {
	case len(texts) > 0:
		f.out.SendRaw([]byte(strings.Join(texts, " ")))
		return f.out.Flush()
	case isOver:
		return io.EOF
	}
	<-ctx.Done()
	return ctx.Err()
}

func (f *listFeed) Notify(wake func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wake = wake
}

func (f *listFeed) Close() { close(f.closed) }

func (f *listFeed) add(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts = append(f.texts, text)
	f.wake()
}

func (f *listFeed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isOver = true
	f.wake()
}

// startFeeds serves one stream, whose feed it returns with each request.
func startFeeds[F httpapi.Feed](t *testing.T, interval time.Duration, newFeed func(*httpapi.Stream) F) (url string,
	table *listen.ConnTable, feeds chan F) {
	t.Helper()
	feeds = make(chan F, 8)
	a := httpapi.New(httpapi.Config{
		Admit: func(context.Context, *http.Request, *httpapi.Operation) (httpapi.Admission, error) {
			return httpapi.Admission{}, nil
		},
		RenderError: httpapi.RenderEnvelope, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Keyless: true,
	})
	httpapi.Handle(a, httpapi.TypedOperation[httpapi.NoInput, httpapi.EventStream]{
		Operation: httpapi.Operation{Name: "feed", Method: "GET", Path: "/feed", Streaming: true},
		Handler: func(_ context.Context, c *httpapi.Call, _ *httpapi.NoInput) (*httpapi.EventStream, error) {
			out := c.StreamEvents()
			f := newFeed(out)
			c.Follow(out, interval, f)
			feeds <- f
			return nil, nil
		}})
	table = listen.NewConnTable(listen.Limits{})
	server := httptest.NewUnstartedServer(a)
	server.Listener = table.Listener(server.Listener)
	table.Configure(server.Config)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, table, feeds
}

// silence is the interval of pings.
const silence = 10 * time.Millisecond

const feedRequest = "GET /feed HTTP/1.1\r\nHost: x\r\n\r\n"

// openFeed asks for the stream and reads its first pings: it is detached then.
func openFeed(t *testing.T, conn net.Conn, r *bufio.Reader, feeds chan *channelFeed) (*http.Response, *bufio.Reader,
	*channelFeed) {
	t.Helper()
	testkit.SendRaw(t, conn, feedRequest)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := bufio.NewReader(resp.Body)
	readPings(t, body)
	return resp, body, check.Receive(t, "the feed", feeds)
}

// readPings reads three pings, a line and an empty one each.
func readPings(t *testing.T, body *bufio.Reader) {
	t.Helper()
	for range 6 {
		if _, err := body.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

func waitForDetached(t *testing.T, table *listen.ConnTable) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), testkit.WaitTimeout)
	defer stop()
	if err := table.AwaitDetached(ctx); err != nil {
		t.Fatal(err)
	}
}

// A silent stream goes on outside of net/http, and its connection serves the next request.
func TestSilentStreamGoesOn(t *testing.T) {
	url, table, feeds := startFeeds(t, silence, newChannelFeed)
	conn := testkit.DialRaw(t, url)
	r := bufio.NewReader(conn)
	for round := range 3 {
		_, body, feed := openFeed(t, conn, r, feeds)
		go func() {
			feed.texts <- "one"
			feed.texts <- strings.Repeat("x", 5000)
			close(feed.texts)
		}()
		if round == 1 {
			testkit.SendRaw(t, conn, "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n") // before the answer has ended
		}
		rest, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		got := string(bytes.ReplaceAll(rest, []byte(": ping\n\n"), nil))
		if got != "data: one\n\ndata: "+strings.Repeat("x", 5000)+"\n\n" {
			t.Fatalf("round %d: %q", round, got)
		}
		check.Receive(t, "the end of the feed", feed.closed)
		if round == 1 {
			if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != http.StatusNotFound {
				t.Fatal(resp, err)
			} else if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := table.OpenConns(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// The feed of a client that is gone is closed; a client that has closed its half only gets the rest.
func TestDetachedStreamNoticesItsClient(t *testing.T) {
	url, table, feeds := startFeeds(t, silence, newChannelFeed)
	conn := testkit.DialRaw(t, url)
	_, _, feed := openFeed(t, conn, bufio.NewReader(conn), feeds)
	if err := errors.Join(conn.SetLinger(0), conn.Close()); err != nil {
		t.Fatal(err)
	}
	check.Receive(t, "the end of the feed", feed.closed)
	waitForDetached(t, table)

	conn = testkit.DialRaw(t, url)
	_, body, feed := openFeed(t, conn, bufio.NewReader(conn), feeds)
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	readPings(t, body)
	feed.texts <- "still here"
	close(feed.texts)
	if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), "data: still here\n\n") {
		t.Errorf("%q, %v", rest, err)
	}
	waitForDetached(t, table)
}

// A stream whose feed panics is cut off: no client takes it for the whole.
func TestDetachedStreamIsCutOffByAPanic(t *testing.T) {
	url, table, feeds := startFeeds(t, silence, newChannelFeed)
	conn := testkit.DialRaw(t, url)
	_, body, feed := openFeed(t, conn, bufio.NewReader(conn), feeds)
	feed.texts <- "panic"
	if _, err := io.ReadAll(body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	check.Receive(t, "the end of the feed", feed.closed)
	waitForDetached(t, table)
}

// A feed that tells when it has something is sent at once, before its stream is detached and after.
func TestNotifiedStream(t *testing.T) {
	for name, interval := range map[string]time.Duration{"attached": time.Hour, "detached": silence} {
		t.Run(name, func(t *testing.T) {
			url, table, feeds := startFeeds(t, interval, newListFeed)
			conn := testkit.DialRaw(t, url)
			testkit.SendRaw(t, conn, feedRequest)
			feed := check.Receive(t, "the feed", feeds)
			feed.add("first")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body := bufio.NewReader(resp.Body)
			waitForText(t, body, "data: first")
			if interval == silence {
				readPings(t, body)
			}
			feed.add("second")
			waitForText(t, body, "data: second")
			feed.end()
			if _, err := io.ReadAll(body); err != nil {
				t.Error(err)
			}
			check.Receive(t, "the end of the feed", feed.closed)
			waitForDetached(t, table)
		})
	}
}

// A stream in net/http's hands ends with its client, whatever its feed does.
func TestNotifiedStreamNoticesItsClient(t *testing.T) {
	url, _, feeds := startFeeds(t, time.Hour, newListFeed)
	conn := testkit.DialRaw(t, url)
	testkit.SendRaw(t, conn, feedRequest)
	feed := check.Receive(t, "the feed", feeds)
	feed.add("first")
	body := bufio.NewReader(conn)
	waitForText(t, body, "data: first")
	if err := errors.Join(conn.SetLinger(0), conn.Close()); err != nil {
		t.Fatal(err)
	}
	check.Receive(t, "the end of the feed", feed.closed)
}

// waitForText reads up to a line.
func waitForText(t *testing.T, body *bufio.Reader, line string) {
	t.Helper()
	for {
		switch got, err := body.ReadString('\n'); {
		case err != nil:
			t.Fatal(err)
		case strings.TrimRight(got, "\r\n") == line:
			return
		}
	}
}
