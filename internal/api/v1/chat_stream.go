package v1

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/httpapi"
)

const (
	defaultKeepAliveInterval = 15 * time.Second
	streamOpenDelay          = 10 * time.Second // after which a stream is opened although the answer has not begun
)

// doneData is the data of the last event (interface 6.1). A stream that ends without it holds no whole answer.
const doneData = "[DONE]"

// streamTurn renders a turn as events of text. A turn that fails before its first word is an ordinary error; one that fails later ends
// the stream without [DONE].
func (s *server) streamTurn(ctx context.Context, c *httpapi.Call, turn *chat.Turn) error {
	r := turn.Reader()
	defer r.Close()
	if err := waitForFirstEvent(ctx, turn); err != nil {
		return err
	}
	out := c.StreamEvents()
	var texts textBuffer
	for {
		events, err := nextEvents(ctx, r, cmp.Or(s.KeepAliveInterval, defaultKeepAliveInterval))
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = out.Ping()
		case err == nil:
			err = writeEvents(out, &texts, events)
		}
		if err != nil { // the end, or the client has gone: the record has seen why
			return nil
		}
	}
}

// waitForFirstEvent waits for the first word, for a while. An error is the turn's failure before it.
func waitForFirstEvent(ctx context.Context, turn *chat.Turn) error {
	soon, cancel := context.WithTimeout(ctx, streamOpenDelay)
	defer cancel()
	err := turn.WaitForText(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

func nextEvents(ctx context.Context, r *chat.Reader, silence time.Duration) ([]chat.Event, error) {
	quiet, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return r.Next(quiet)
}

// writeEvents words events that came together: the texts, and the end.
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

// writeText gathers texts as events, a data line for each line. None of them is the word for the end, nor holds it on a line of its own:
// it is cut in two wherever it stands.
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

// textBuffer makes the events' texts of an answer. Readers that others wrote drop blanks and line breaks at the beginning of an event,
// so none begins with one: the last character that is no white space waits for what follows it.
type textBuffer struct{ pending string }

// addText returns what may leave once text is added.
func (p *textBuffer) addText(text string) (leaves string) {
	p.pending += text
	at := len(p.pending)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(p.pending[:at])
		if at -= size; !unicode.IsSpace(r) && r != '\uFEFF' {
			break
		}
	}
	leaves, p.pending = p.pending[:at], p.pending[at:]
	return leaves
}

// flush returns what was held back.
func (p *textBuffer) flush() (leaves string) {
	leaves, p.pending = p.pending, ""
	return leaves
}
