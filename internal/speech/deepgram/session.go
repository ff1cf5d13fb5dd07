package deepgram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
)

type connection struct {
	*webSocket
	messages chan []byte
	readErr  error         // why there are no more messages; once messages is closed
	closing  chan struct{} // closed when nobody takes messages any more
	readDone chan struct{} // closed when nothing is read any more
}

type session struct {
	*connection
	audio     *speech.AudioBuffer
	onInterim func(speech.Transcript)

	finalTimeout, flushTimeout, keepAliveInterval time.Duration

	sentSamples        int    // samples
	finalText          string // what will not change again
	lastText           string // what was passed on last
	hasResult          bool   // there was a result
	isInputEnded       bool   // all sound was sent, and its last words asked for
	isFlushed          bool   // they were sent, and nothing of the segment comes any more
	closesAfterSegment bool   // the connection ends with the segment
}

const maxMessageSamples = 3200 // samples of one message: 200 ms

var (
	keepAliveMessage   = []byte(`{"type":"KeepAlive"}`)
	finalizeMessage    = []byte(`{"type":"Finalize"}`)
	closeStreamMessage = []byte(`{"type":"CloseStream"}`)
)

func newConnection(s *webSocket) *connection {
	l := &connection{webSocket: s, messages: make(chan []byte), closing: make(chan struct{}),
		readDone: make(chan struct{})}
	go l.readLoop()
	return l
}

// shutDown closes the connection, and waits until nothing is read any more.
func (l *connection) shutDown() {
	close(l.closing)
	l.close()
	<-l.readDone
}

// readLoop passes on what the server sends, until the connection ends.
func (l *connection) readLoop() {
	defer close(l.readDone)
	defer close(l.messages)
	for {
		message, err := l.webSocket.readMessage()
		if err != nil {
			l.readErr = err
			return
		}
		select {
		case l.messages <- message:
		case <-l.closing:
			return
		}
	}
}

// run sends the sound and gathers the text. After the end of the sound it waits for the last words until the final
// timeout; what is there then is the text. A server need not say that it has sent the last words where there were none;
// it always says that it has closed.
func (l *session) run(ctx context.Context) (string, error) {
	keepAlive, final, flush := time.NewTimer(l.keepAliveInterval), time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer keepAlive.Stop()
	defer final.Stop()
	defer flush.Stop()
	for {
		before := l.sentSamples
		switch ended, err := l.sendAudio(); {
		case err != nil:
			return "", err
		case ended && l.sentSamples == 0:
			return "", nil
		case ended && !l.isInputEnded:
			l.isInputEnded = true
			final.Reset(l.finalTimeout)
			flush.Reset(l.flushTimeout)
		}
		if l.sentSamples > before {
			keepAlive.Reset(l.keepAliveInterval)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-l.audio.Updates():
		case <-keepAlive.C:
			if err := l.write(websocket.TextMessage, keepAliveMessage); err != nil {
				return "", err
			}
			keepAlive.Reset(l.keepAliveInterval)
		case <-flush.C:
			if err := l.requestClose(); err != nil {
				return "", err
			}
		case <-final.C:
			if !l.hasResult {
				return "", httpclient.ErrProviderSilent
			}
			return l.lastText, nil
		case message, ok := <-l.messages:
			if !ok {
				return l.handleDisconnect()
			}
			done, err := l.handleMessage(message)
			if done || err != nil {
				return l.lastText, err
			}
		}
	}
}

// sendAudio sends the new samples; ended says that they were the last, and that the server knows.
func (l *session) sendAudio() (ended bool, err error) {
	samples, ended := l.audio.SamplesFrom(l.sentSamples)
	for len(samples) > 0 {
		part := samples[:min(len(samples), maxMessageSamples)]
		if err := l.write(websocket.BinaryMessage, audio.AppendBytes(nil, part)); err != nil {
			return false, err
		}
		l.sentSamples += len(part)
		samples = samples[len(part):]
	}
	if !ended || l.isInputEnded || l.sentSamples == 0 {
		return ended, nil
	}
	if err := l.write(websocket.TextMessage, finalizeMessage); err != nil {
		return false, err
	}
	if l.closesAfterSegment {
		return true, l.write(websocket.TextMessage, closeStreamMessage)
	}
	return true, nil
}

// requestClose has the server send its last words and close, unless it was asked before.
func (l *session) requestClose() error {
	if l.closesAfterSegment {
		return nil
	}
	l.closesAfterSegment = true
	return l.write(websocket.TextMessage, closeStreamMessage)
}

// handleMessage reads one message; done says that the text is complete.
func (l *session) handleMessage(message []byte) (done bool, err error) {
	var m struct {
		Channel struct {
			Alternatives []struct{ Transcript string }
		}
		IsFinal     bool `json:"is_final"`
		SpeechFinal bool `json:"speech_final"`
		Finalized   bool `json:"from_finalize"`
	}
	var kind struct{ Type string } // the shapes of other messages contradict that of a result
	if err := json.Unmarshal(message, &kind); err != nil {
		return false, httpclient.NewProviderError("the speech server sent a message that is no JSON", message)
	}
	switch kind.Type {
	case "Error":
		return false, httpclient.NewProviderError("the speech server reported a failure", message)
	case "Metadata": // the last word of a stream that was closed
		return l.isInputEnded, nil
	case "Results":
	default:
		return false, nil
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return false, httpclient.NewProviderError("the speech server sent a result that makes no sense", message)
	}
	l.hasResult = true
	transcript := ""
	if len(m.Channel.Alternatives) > 0 {
		transcript = m.Channel.Alternatives[0].Transcript
	}
	text := strings.TrimSpace(l.finalText + " " + strings.TrimSpace(transcript))
	if len(text) > httpclient.MaxTextBytes {
		return false, httpclient.ErrStreamTooLong
	}
	if m.IsFinal {
		l.finalText = text
	}
	if text != l.lastText || m.SpeechFinal {
		l.lastText = text
		l.onInterim(speech.Transcript{Text: text, IsPause: m.SpeechFinal})
	}
	l.isFlushed = l.isInputEnded && m.Finalized
	return l.isFlushed, nil
}

// handleDisconnect returns what the end of the connection means: after the end of the sound and a result, it is the end
// of the text.
func (l *session) handleDisconnect() (string, error) {
	switch {
	case !errors.Is(l.readErr, io.EOF):
		return "", l.readErr
	case l.isInputEnded && l.hasResult:
		return l.lastText, nil
	}
	return "", httpclient.ErrStreamCut
}

const (
	maxMessageBytes     = 1 << 20
	defaultWriteTimeout = 5 * time.Second
)

// webSocket is the client's end of a WebSocket.
type webSocket struct {
	conn         *websocket.Conn
	writeTimeout time.Duration // longest time for one write

	mu sync.Mutex // of writing
}

// dialWebSocket opens a WebSocket at an address of http:, https:, ws: or wss:, through the proxy and with the
// certificates of client. A refusal is a *httpclient.StatusError with what the server answered instead.
func dialWebSocket(ctx context.Context, client *http.Client, address string, h http.Header) (*webSocket, error) {
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest
	}
	dialer := websocket.Dialer{WriteBufferSize: 2 * maxMessageSamples} // a message is one frame
	dial := new(net.Dialer).DialContext
	if t, ok := client.Transport.(*http.Transport); ok {
		dialer.Proxy = t.Proxy
		if t.TLSClientConfig != nil {
			dialer.TLSClientConfig = t.TLSClientConfig.Clone()
			dialer.TLSClientConfig.NextProtos = []string{"http/1.1"} // HTTP/2 has no WebSockets of this kind
		}
		if t.DialContext != nil {
			dial = t.DialContext
		}
	}
	// The library heeds the end of ctx only while it connects: until the handshake is over, that end closes the
	// connection.
	stop := func() bool { return true }
	dialer.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err == nil {
			stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	conn, resp, err := dialer.DialContext(ctx, address, h) //nolint:bodyclose // the library has read it
	if !stop() && err == nil {
		return nil, errors.Join(context.Cause(ctx), conn.Close())
	}
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, httpclient.NewStatusError(resp)
	case err != nil:
		return nil, err
	}
	conn.SetReadLimit(maxMessageBytes)
	return &webSocket{conn: conn, writeTimeout: defaultWriteTimeout}, nil
}

// write sends one message of a kind of package websocket. A server that does not take it in time loses the connection.
func (s *webSocket) write(kind int, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	timer := time.AfterFunc(s.writeTimeout, s.close)
	defer timer.Stop()
	return s.conn.WriteMessage(kind, payload)
}

// readMessage returns the next text or binary message. It answers pings. After the server's proper close it returns
// io.EOF.
func (s *webSocket) readMessage() ([]byte, error) {
	_, message, err := s.conn.ReadMessage()
	if err != nil {
		return nil, readError(err)
	}
	return message, nil
}

func readError(err error) error {
	var closed *websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrReadLimit):
		return httpclient.ErrLineTooLong
	case !errors.As(err, &closed):
		return err
	}
	switch closed.Code {
	case websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived:
		return io.EOF
	case websocket.CloseAbnormalClosure: // the connection ended without a word
		return httpclient.ErrStreamCut
	}
	return fmt.Errorf("the speech server closed with %d: %s", closed.Code, closed.Text)
}

// close ends the connection at once; a reader and a writer return.
func (s *webSocket) close() { _ = s.conn.Close() }
