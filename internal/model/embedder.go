package model

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Embedder turns texts into vectors: texts that mean alike get vectors that point alike.
type Embedder interface {
	// Embed returns a vector of length 1 for each text, in the order of the texts, all of one dimension. A nil vector
	// stands for a text that the provider will not take, however short it is made.
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// Name returns whose vectors they are: only those of one name can be compared.
	Name() string
}

// CachedEmbedder embeds questions one at a time. It remembers the latest ones, and when the provider fails several
// times in a row it is not asked for a while, so that not every question waits for it.
type CachedEmbedder struct {
	Embedder Embedder
	Now      func() time.Time

	pause   FailurePause
	mu      sync.Mutex
	entries map[string]*list.Element // of recency
	recency list.List                // the latest one in front
}

type cachedVector struct {
	text   string
	vector []float32
}

const maxCachedVectors = 512

// ErrEmbedderPaused says that the provider has just failed several times and is not asked.
var ErrEmbedderPaused = errors.New("the embedding provider has just failed several times")

var errNoVector = errors.New("the embedding provider takes no such text")

// Vector returns the vector of a text.
func (c *CachedEmbedder) Vector(ctx context.Context, text string) ([]float32, error) {
	if v, err := c.lookup(text); v != nil || err != nil {
		return v, err
	}
	list, err := c.Embedder.Embed(ctx, []string{text})
	if err == nil && list[0] == nil {
		return nil, errNoVector
	}
	if err != nil {
		c.pause.RecordFailure(c.Now(), 0)
		return nil, err
	}
	c.pause.RecordSuccess()
	c.store(text, list[0])
	return list[0], nil
}

func (c *CachedEmbedder) lookup(text string) ([]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[text]; ok {
		c.recency.MoveToFront(e)
		return e.Value.(cachedVector).vector, nil
	}
	if c.pause.IsActive(c.Now()) {
		return nil, ErrEmbedderPaused
	}
	return nil, nil
}

func (c *CachedEmbedder) store(text string, v []float32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[text]; ok {
		return // another question was faster
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	c.entries[text] = c.recency.PushFront(cachedVector{text, v})
	if c.recency.Len() > maxCachedVectors {
		delete(c.entries, c.recency.Remove(c.recency.Back()).(cachedVector).text)
	}
}
