package baseline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// HeartbeatInterval is the silence after which a stream gets a comment.
const HeartbeatInterval = 15 * time.Second

type heartbeatStream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	rc    *http.ResponseController
	timer *time.Timer
}

func (h *heartbeatStream) send(events string, flush bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = io.WriteString(h.w, events)
	if flush {
		_ = h.rc.Flush()
		h.timer.Reset(HeartbeatInterval)
	}
}

func (h *heartbeatStream) sendHeartbeat() { h.send(": ping\n\n", true) }

var (
	contentKey = []byte(`"content":"`)
	doneLine   = []byte("data: [DONE]")
)

// readTokens calls each with the tokens of a model's stream; more is true while further events have already arrived. It
// relies on the stub's way of writing and does not decode the text, which is the cheapest way there is.
func readTokens(body io.Reader, each func(token []byte, more bool)) error {
	r := bufio.NewReader(body)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.HasPrefix(line, doneLine) {
			_, err := io.Copy(io.Discard, r) // to the end, so that the connection can be used again
			return err
		}
		_, after, ok := bytes.Cut(line, contentKey)
		if !ok {
			continue
		}
		token, _, ok := bytes.Cut(after, []byte{'"'})
		if !ok {
			return errors.New("the model sent half an event")
		}
		if len(token) > 0 {
			each(token, r.Buffered() > 1) // the empty line of this event is not a further one
		}
	}
}
