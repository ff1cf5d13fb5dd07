package v1

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/httpapi"
)

const (
	defaultKeepAliveInterval = 15 * time.Second
	streamOpenDelay          = 10 * time.Second // how long a stream waits for the answer to begin before it is opened
)

// doneData is the data of the last event. A stream that ends without it holds only a part of an answer.
const doneData = "[DONE]"

// streamTurn renders a turn as events of text. A turn that fails before its first word is an ordinary error. If it
// fails later, the stream ends without [DONE].
func (s *server) streamTurn(ctx context.Context, c *call, turn *chat.Turn) error {
	r := turn.Reader()
	if _, err := httpapi.Await(ctx, streamOpenDelay, turn.WaitForText); err != nil {
		r.Close()
		return err
	}
	out := c.StreamEvents()
	c.Follow(out, cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval), &turnWriter{out: out, reader: r})
	return nil
}

// turnWriter writes the events of one turn.
type turnWriter struct {
	out    *httpapi.Stream
	reader *chat.Reader
	texts  textBuffer
}

// SendNext implements httpapi.Feed.
func (t *turnWriter) SendNext(ctx context.Context) error {
	events, err := t.reader.Next(ctx)
	if err == nil {
		err = writeEvents(t.out, &t.texts, events)
	}
	return err
}

// Notify implements httpapi.Notifier.
func (t *turnWriter) Notify(wake func()) { t.reader.Notify(wake) }

// Close implements httpapi.Feed.
func (t *turnWriter) Close() { t.reader.Close() }

// writeEvents writes events that were read together: the texts, and the end.
func writeEvents(out *httpapi.Stream, texts *textBuffer, events []chat.Event) error {
	for _, e := range events {
		switch {
		case e.Kind == chat.Text:
			writeText(out, texts.addText(e.Text))
		case e.Kind == chat.Finished && e.Finish.Reason != "error":
			writeText(out, texts.flush())
			out.SendRaw([]byte(doneData))
		}
	}
	return out.Flush()
}

// writeText writes a text as events, with a data line for each line. If the text contains doneData, it is cut in
// two there, so that no client takes it for the end.
func writeText(out *httpapi.Stream, text string) {
	for text != "" {
		cut := len(text)
		if at := strings.Index(text, doneData); at >= 0 {
			cut = at + 1
		}
		out.SendRaw([]byte(strings.ReplaceAll(text[:cut], "\n", "\ndata: ")))
		text = text[cut:]
	}
}

// textBuffer splits an answer into the texts of events. Some clients drop white space at the beginning of an event,
// so no event begins with it: the last character before white space is held back until the next text.
type textBuffer struct{ pending string }

// addText adds text and returns what can be sent.
func (b *textBuffer) addText(text string) (ready string) {
	b.pending += text
	at := len(b.pending)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(b.pending[:at])
		if at -= size; !unicode.IsSpace(r) && r != '\uFEFF' {
			break
		}
	}
	ready, b.pending = b.pending[:at], b.pending[at:]
	return ready
}

// flush returns what has been held back.
func (b *textBuffer) flush() (ready string) {
	ready, b.pending = b.pending, ""
	return ready
}
