package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"parley/internal/audio"
)

// deepgramConn is one connection.
type deepgramConn struct {
	*webSocket
	messages chan []byte
	readErr  error         // why there are no more messages; once messages is closed
	closing  chan struct{} // closed when nobody takes messages any more
	readDone chan struct{} // closed when nothing is read any more
}

// deepgramSession hears one tape on a connection.
type deepgramSession struct {
	*deepgramConn
	audio     *audioBuffer
	onInterim func(Transcript)

	finalTimeout, flushTimeout, keepAliveInterval time.Duration

	sentSamples        int    // samples
	finalText          string // what will not change again
	lastText           string // what was told last
	hasResult          bool   // there was a result
	isInputEnded       bool   // all sound was sent, and its last words asked for
	isFlushed          bool   // they were given, and nothing of the segment comes any more
	closesAfterSegment bool   // the connection ends with the segment
}

const maxMessageSamples = 3200 // samples of one message: 200 ms

var (
	keepAliveMessage   = []byte(`{"type":"KeepAlive"}`)
	finalizeMessage    = []byte(`{"type":"Finalize"}`)
	closeStreamMessage = []byte(`{"type":"CloseStream"}`)
)

func newDeepgramConn(s *webSocket) *deepgramConn {
	l := &deepgramConn{webSocket: s, messages: make(chan []byte), closing: make(chan struct{}), readDone: make(chan struct{})}
	go l.readLoop()
	return l
}

// shutDown hangs up, and waits until nothing is read any more.
func (l *deepgramConn) shutDown() {
	close(l.closing)
	l.close()
	<-l.readDone
}

// readLoop passes on what the server sends, until the connection ends.
func (l *deepgramConn) readLoop() {
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

// run sends the tape and gathers the text. After the end of the sound the last words have so long to come; what is there then is
// the text. A server need not say that it has given the last words where it has had none; it always tells that it has closed.
func (l *deepgramSession) run(ctx context.Context) (string, error) {
	keepAlive, patience, flush := time.NewTimer(l.keepAliveInterval), time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer keepAlive.Stop()
	defer patience.Stop()
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
			patience.Reset(l.finalTimeout)
			flush.Reset(l.flushTimeout)
		}
		if l.sentSamples > before {
			keepAlive.Reset(l.keepAliveInterval)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-l.audio.updated:
		case <-keepAlive.C:
			if err := l.write(frameText, keepAliveMessage); err != nil {
				return "", err
			}
			keepAlive.Reset(l.keepAliveInterval)
		case <-flush.C:
			if err := l.requestClose(); err != nil {
				return "", err
			}
		case <-patience.C:
			if !l.hasResult {
				return "", errProviderSilent
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

// sendAudio sends what is new on the tape; ended says that it was the last, and that the server knows.
func (l *deepgramSession) sendAudio() (ended bool, err error) {
	samples, ended := l.audio.samplesFrom(l.sentSamples)
	for len(samples) > 0 {
		part := samples[:min(len(samples), maxMessageSamples)]
		if err := l.write(frameBinary, audio.AppendBytes(nil, part)); err != nil {
			return false, err
		}
		l.sentSamples += len(part)
		samples = samples[len(part):]
	}
	if !ended || l.isInputEnded || l.sentSamples == 0 {
		return ended, nil
	}
	if err := l.write(frameText, finalizeMessage); err != nil {
		return false, err
	}
	if l.closesAfterSegment {
		return true, l.write(frameText, closeStreamMessage)
	}
	return true, nil
}

// requestClose has the server give its last words, and end, if it was not told to before.
func (l *deepgramSession) requestClose() error {
	if l.closesAfterSegment {
		return nil
	}
	l.closesAfterSegment = true
	return l.write(frameText, closeStreamMessage)
}

// handleMessage reads one message; done says that the text is complete.
func (l *deepgramSession) handleMessage(message []byte) (done bool, err error) {
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
		return false, newProviderError("the speech server sent a message that is no JSON", message)
	}
	switch kind.Type {
	case "Error":
		return false, newProviderError("the speech server reported a failure", message)
	case "Metadata": // the last word of a stream that was closed
		return l.isInputEnded, nil
	case "Results":
	default:
		return false, nil
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return false, newProviderError("the speech server sent a result that makes no sense", message)
	}
	l.hasResult = true
	transcript := ""
	if len(m.Channel.Alternatives) > 0 {
		transcript = m.Channel.Alternatives[0].Transcript
	}
	text := joinTranscripts(l.finalText, transcript)
	if len(text) > maxTextBytes {
		return false, errStreamTooLong
	}
	if m.IsFinal {
		l.finalText = text
	}
	if text != l.lastText || m.SpeechFinal {
		l.lastText = text
		l.onInterim(Transcript{Text: text, IsPause: m.SpeechFinal})
	}
	l.isFlushed = l.isInputEnded && m.Finalized
	return l.isFlushed, nil
}

// handleDisconnect tells what the end of the connection means: behind the end of the sound, and a result, it is the end of the text.
func (l *deepgramSession) handleDisconnect() (string, error) {
	switch {
	case !errors.Is(l.readErr, io.EOF):
		return "", l.readErr
	case l.isInputEnded && l.hasResult:
		return l.lastText, nil
	}
	return "", errStreamCut
}
