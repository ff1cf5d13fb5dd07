package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"parley/internal/pcm"
)

// deepgramLine is one connection.
type deepgramLine struct {
	*socket
	messages chan []byte
	broken   error         // why there are no more messages; once messages is closed
	over     chan struct{} // closed when nobody takes messages any more
	reading  chan struct{} // closed when nothing is read any more
}

// deepgramHearing hears one tape on a connection.
type deepgramHearing struct {
	*deepgramLine
	tape *tape
	told func(Transcript)

	finalWait, flushWait, keep time.Duration

	sent    int    // samples
	final   string // what will not change again
	last    string // what was told last
	any     bool   // there was a result
	ended   bool   // all sound was sent, and its last words asked for
	flushed bool   // they were given, and nothing of the segment comes any more
	closes  bool   // the connection ends with the segment
}

const mostSent = 3200 // samples of one message: 200 ms

var (
	wordKeepAlive = []byte(`{"type":"KeepAlive"}`)
	wordFinalize  = []byte(`{"type":"Finalize"}`)
	wordClose     = []byte(`{"type":"CloseStream"}`)
)

func newDeepgramLine(s *socket) *deepgramLine {
	l := &deepgramLine{socket: s, messages: make(chan []byte), over: make(chan struct{}), reading: make(chan struct{})}
	go l.read()
	return l
}

// end hangs up, and waits until nothing is read any more.
func (l *deepgramLine) end() {
	close(l.over)
	l.close()
	<-l.reading
}

// read passes on what the server sends, until the connection ends.
func (l *deepgramLine) read() {
	defer close(l.reading)
	defer close(l.messages)
	for {
		message, err := l.socket.read()
		if err != nil {
			l.broken = err
			return
		}
		select {
		case l.messages <- message:
		case <-l.over:
			return
		}
	}
}

// run sends the tape and gathers the text. After the end of the sound the last words have so long to come; what is there then is
// the text. A server need not say that it has given the last words where it has had none; it always tells that it has closed.
func (l *deepgramHearing) run(ctx context.Context) (string, error) {
	keepAlive, patience, flush := time.NewTimer(l.keep), time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer keepAlive.Stop()
	defer patience.Stop()
	defer flush.Stop()
	for {
		before := l.sent
		switch ended, err := l.send(); {
		case err != nil:
			return "", err
		case ended && l.sent == 0:
			return "", nil
		case ended && !l.ended:
			l.ended = true
			patience.Reset(l.finalWait)
			flush.Reset(l.flushWait)
		}
		if l.sent > before {
			keepAlive.Reset(l.keep)
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-l.tape.more:
		case <-keepAlive.C:
			if err := l.write(frameText, wordKeepAlive); err != nil {
				return "", err
			}
			keepAlive.Reset(l.keep)
		case <-flush.C:
			if err := l.hangUp(); err != nil {
				return "", err
			}
		case <-patience.C:
			if !l.any {
				return "", errSilent
			}
			return l.last, nil
		case message, ok := <-l.messages:
			if !ok {
				return l.parted()
			}
			done, err := l.take(message)
			if done || err != nil {
				return l.last, err
			}
		}
	}
}

// send sends what is new on the tape; ended says that it was the last, and that the server knows.
func (l *deepgramHearing) send() (ended bool, err error) {
	samples, ended := l.tape.from(l.sent)
	for len(samples) > 0 {
		part := samples[:min(len(samples), mostSent)]
		if err := l.write(frameBinary, pcm.AppendBytes(nil, part)); err != nil {
			return false, err
		}
		l.sent += len(part)
		samples = samples[len(part):]
	}
	if !ended || l.ended || l.sent == 0 {
		return ended, nil
	}
	if err := l.write(frameText, wordFinalize); err != nil {
		return false, err
	}
	if l.closes {
		return true, l.write(frameText, wordClose)
	}
	return true, nil
}

// hangUp has the server give its last words, and end, if it was not told to before.
func (l *deepgramHearing) hangUp() error {
	if l.closes {
		return nil
	}
	l.closes = true
	return l.write(frameText, wordClose)
}

// take reads one message; done says that the text is complete.
func (l *deepgramHearing) take(message []byte) (done bool, err error) {
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
		return false, garbled("the speech server sent a message that is no JSON", message)
	}
	switch kind.Type {
	case "Error":
		return false, garbled("the speech server reported a failure", message)
	case "Metadata": // the last word of a stream that was closed
		return l.ended, nil
	case "Results":
	default:
		return false, nil
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return false, garbled("the speech server sent a result that makes no sense", message)
	}
	l.any = true
	heard := ""
	if len(m.Channel.Alternatives) > 0 {
		heard = m.Channel.Alternatives[0].Transcript
	}
	text := adjoin(l.final, heard)
	if len(text) > maxText {
		return false, errEndless
	}
	if m.IsFinal {
		l.final = text
	}
	if text != l.last || m.SpeechFinal {
		l.last = text
		l.told(Transcript{Text: text, Pause: m.SpeechFinal})
	}
	l.flushed = l.ended && m.Finalized
	return l.flushed, nil
}

// parted tells what the end of the connection means: behind the end of the sound, and a result, it is the end of the text.
func (l *deepgramHearing) parted() (string, error) {
	switch {
	case !errors.Is(l.broken, io.EOF):
		return "", l.broken
	case l.ended && l.any:
		return l.last, nil
	}
	return "", errCut
}
