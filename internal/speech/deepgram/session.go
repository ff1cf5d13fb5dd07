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

// connection is the client's end of a WebSocket. It answers pings.
type connection struct {
	conn     *websocket.Conn
	writeMu  sync.Mutex
	messages chan []byte
	readErr  error         // why there are no more messages, io.EOF after a proper close; once messages is closed
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

// shutDown closes the connection, and waits until nothing is read any more.
func (c *connection) shutDown() {
	close(c.closing)
	c.close()
	<-c.readDone
}

// readLoop passes on what the server sends, until the connection ends.
func (c *connection) readLoop() {
	defer close(c.readDone)
	defer close(c.messages)
	for {
		_, message, err := c.conn.ReadMessage()
		if err != nil {
			c.readErr = readError(err)
			return
		}
		select {
		case c.messages <- message:
		case <-c.closing:
			return
		}
	}
}

// run sends the sound and gathers the text. After the end of the sound it waits for the last words until the final
// timeout; what is there then is the text. A server need not say that it has sent the last words if there were none;
// it always says that it has closed.
func (s *session) run(ctx context.Context) (string, error) {
	keepAlive, final, flush := time.NewTimer(s.keepAliveInterval), time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer keepAlive.Stop()
	defer final.Stop()
	defer flush.Stop()
	for {
		before := s.sentSamples
		switch ended, err := s.sendAudio(); {
		case err != nil:
			return "", err
		case ended && s.sentSamples == 0:
			return "", nil
		case ended && !s.isInputEnded:
			s.isInputEnded = true
			final.Reset(s.finalTimeout)
			flush.Reset(s.flushTimeout)
		}
		if s.sentSamples > before {
			keepAlive.Reset(s.keepAliveInterval)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-s.audio.Updates():
		case <-keepAlive.C:
			if err := s.write(websocket.TextMessage, keepAliveMessage); err != nil {
				return "", err
			}
			keepAlive.Reset(s.keepAliveInterval)
		case <-flush.C:
			if err := s.requestClose(); err != nil {
				return "", err
			}
		case <-final.C:
			if !s.hasResult {
				return "", httpclient.ErrProviderSilent
			}
			return s.lastText, nil
		case message, ok := <-s.messages:
			if !ok {
				return s.handleDisconnect()
			}
			done, err := s.handleMessage(message)
			if done || err != nil {
				return s.lastText, err
			}
		}
	}
}

// sendAudio sends the new samples; ended says that they were the last, and that the server knows.
func (s *session) sendAudio() (ended bool, err error) {
	samples, ended := s.audio.SamplesFrom(s.sentSamples)
	for len(samples) > 0 {
		part := samples[:min(len(samples), maxMessageSamples)]
		if err := s.write(websocket.BinaryMessage, audio.AppendBytes(nil, part)); err != nil {
			return false, err
		}
		s.sentSamples += len(part)
		samples = samples[len(part):]
	}
	if !ended || s.isInputEnded || s.sentSamples == 0 {
		return ended, nil
	}
	if err := s.write(websocket.TextMessage, finalizeMessage); err != nil {
		return false, err
	}
	if s.closesAfterSegment {
		return true, s.write(websocket.TextMessage, closeStreamMessage)
	}
	return true, nil
}

// requestClose has the server send its last words and close, unless it was asked before.
func (s *session) requestClose() error {
	if s.closesAfterSegment {
		return nil
	}
	s.closesAfterSegment = true
	return s.write(websocket.TextMessage, closeStreamMessage)
}

// handleMessage reads one message; done says that the text is complete.
func (s *session) handleMessage(message []byte) (done bool, err error) {
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
		return s.isInputEnded, nil
	case "Results":
	default:
		return false, nil
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return false, httpclient.NewProviderError("the speech server sent a result that makes no sense", message)
	}
	s.hasResult = true
	transcript := ""
	if len(m.Channel.Alternatives) > 0 {
		transcript = m.Channel.Alternatives[0].Transcript
	}
	text := strings.TrimSpace(s.finalText + " " + strings.TrimSpace(transcript))
	if len(text) > httpclient.MaxTextBytes {
		return false, httpclient.ErrStreamTooLong
	}
	if m.IsFinal {
		s.finalText = text
	}
	if text != s.lastText || m.SpeechFinal {
		s.lastText = text
		s.onInterim(speech.Transcript{Text: text, IsPause: m.SpeechFinal})
	}
	s.isFlushed = s.isInputEnded && m.Finalized
	return s.isFlushed, nil
}

// handleDisconnect returns what the end of the connection means: after the end of the sound and a result, it is the end
// of the text.
func (s *session) handleDisconnect() (string, error) {
	switch {
	case !errors.Is(s.readErr, io.EOF):
		return "", s.readErr
	case s.isInputEnded && s.hasResult:
		return s.lastText, nil
	}
	return "", httpclient.ErrStreamCut
}

const (
	maxMessageBytes = 1 << 20
	writeTimeout    = 5 * time.Second // longest time for one write
)

// connect opens a WebSocket at an address of http:, https:, ws: or wss:, through the proxy and with the certificates of
// client. A refusal is a *httpclient.StatusError with what the server answered instead.
func connect(ctx context.Context, client *http.Client, address string, h http.Header) (*connection, error) {
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
	c := &connection{conn: conn, messages: make(chan []byte), closing: make(chan struct{}),
		readDone: make(chan struct{})}
	go c.readLoop()
	return c, nil
}

// write sends one message of a kind of package websocket. A server that does not take it in time loses the connection.
func (c *connection) write(kind int, payload []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	timer := time.AfterFunc(writeTimeout, c.close)
	defer timer.Stop()
	return c.conn.WriteMessage(kind, payload)
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
func (c *connection) close() { _ = c.conn.Close() }
