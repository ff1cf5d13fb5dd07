package apiv1

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/wire"
)

const (
	silence  = 15 * time.Second
	patience = 10 * time.Second // after which a stream is opened although the answer has not begun
)

// ended is the data of the last event (interface 6.1). A stream that ends without it holds no whole answer.
const ended = "[DONE]"

// stream renders a turn as events of text. A turn that fails before its first word is an ordinary error; one that fails later ends
// the stream without [DONE].
func (s *server) stream(ctx context.Context, c *wire.Call, turn *chat.Turn) error {
	r := turn.Reader()
	defer r.Close()
	if err := begun(ctx, turn); err != nil {
		return err
	}
	out := c.Events()
	var told pieces
	for {
		events, err := next(ctx, r, cmp.Or(s.Silence, silence))
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = out.Ping()
		case err == nil:
			err = tell(out, &told, events)
		}
		if err != nil { // the end, or the client has gone: the record has seen why
			return nil
		}
	}
}

// begun waits for the first word, for a while. An error is the turn's failure before it.
func begun(ctx context.Context, turn *chat.Turn) error {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := turn.Begun(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

func next(ctx context.Context, r *chat.Reader, silence time.Duration) ([]chat.Event, error) {
	quiet, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return r.Next(quiet)
}

// tell words events that came together: the texts, and the end.
func tell(out *wire.Stream, told *pieces, events []chat.Event) error {
	for _, e := range events {
		switch {
		case e.Kind == chat.Text:
			send(out, told.add(e.Text))
		case e.Kind == chat.Finished && e.Finish.Reason != "error":
			send(out, told.rest())
			out.SendRaw([]byte(ended))
		}
	}
	return out.Flush()
}

// send gathers texts as events, a data line for each line. None of them is the word for the end, nor holds it on a line of its own:
// it is cut in two wherever it stands.
func send(out *wire.Stream, text string) {
	for text != "" {
		cut := len(text)
		if at := strings.Index(text, ended); at >= 0 {
			cut = at + 1
		}
		out.SendRaw([]byte(strings.ReplaceAll(text[:cut], "\n", "\ndata: ")))
		text = text[cut:]
	}
}

// pieces makes the events' texts of an answer. Readers that others wrote drop blanks and line breaks at the beginning of an event,
// so none begins with one: the last character that is no white space waits for what follows it.
type pieces struct{ held string }

// add gives what may leave once text is added.
func (p *pieces) add(text string) (leaves string) {
	p.held += text
	at := len(p.held)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(p.held[:at])
		if at -= size; !unicode.IsSpace(r) && r != '\uFEFF' {
			break
		}
	}
	leaves, p.held = p.held[:at], p.held[at:]
	return leaves
}

// rest gives what was held back.
func (p *pieces) rest() (leaves string) {
	leaves, p.held = p.held, ""
	return leaves
}
