package llm

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Recent embeds questions one at a time. It remembers the latest ones, and when the provider fails several times in a row it is
// left alone for a while, so that not every question waits for it.
type Recent struct {
	Embedder Embedder
	Now      func() time.Time

	mu     sync.Mutex
	known  map[string]*list.Element // of recent
	order  list.List                // the latest one in front
	failed int                      // in a row
	until  time.Time                // when the provider is asked again
}

type recent struct {
	text   string
	vector []float32
}

const (
	mostRecent   = 512
	mostFailures = 3
	leftAlone    = 10 * time.Second
)

// ErrLeftAlone says that the provider has just failed several times and is not asked.
var ErrLeftAlone = errors.New("the embedding provider has just failed several times")

var errNoVector = errors.New("the embedding provider takes no such text")

// Vector gives the vector of a text.
func (r *Recent) Vector(ctx context.Context, text string) ([]float32, error) {
	if v, err := r.recall(text); v != nil || err != nil {
		return v, err
	}
	list, err := r.Embedder.Embed(ctx, []string{text})
	if err == nil && list[0] == nil {
		return nil, errNoVector
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if r.failed++; r.failed >= mostFailures {
			r.failed, r.until = 0, r.Now().Add(leftAlone)
		}
		return nil, err
	}
	r.failed = 0
	r.keep(text, list[0])
	return list[0], nil
}

func (r *Recent) recall(text string) ([]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.known[text]; ok {
		r.order.MoveToFront(e)
		return e.Value.(recent).vector, nil
	}
	if r.Now().Before(r.until) {
		return nil, ErrLeftAlone
	}
	return nil, nil
}

func (r *Recent) keep(text string, v []float32) {
	if _, ok := r.known[text]; ok {
		return // another question was faster
	}
	if r.known == nil {
		r.known = map[string]*list.Element{}
	}
	r.known[text] = r.order.PushFront(recent{text, v})
	if r.order.Len() > mostRecent {
		delete(r.known, r.order.Remove(r.order.Back()).(recent).text)
	}
}
