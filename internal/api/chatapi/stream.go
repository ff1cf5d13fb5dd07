package chatapi

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/api/uistream"
	"parley/internal/httpapi"
)

// streamCounter counts the open streams of each key.
type streamCounter struct {
	mu   sync.Mutex
	open map[string]int
}

// take counts a stream, unless the key has as many as it may.
func (sc *streamCounter) take(key string) bool {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.open[key] >= streamLimit {
		return false
	}
	if sc.open == nil {
		sc.open = map[string]int{}
	}
	sc.open[key]++
	return true
}

func (sc *streamCounter) release(key string) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.open[key]--; sc.open[key] == 0 {
		delete(sc.open, key)
	}
}

// count returns how many streams of a key are open.
func (sc *streamCounter) count(key string) int {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.open[key]
}

// limitIdleStream fails with RATE_LIMIT_TOO_MANY_REQUESTS where the stream of a conversation that no person has
// taken over would leave too few of the device's streams to answers.
func (s *server) limitIdleStream(from *caller, conv *parley.Conversation) error {
	if conv.Status == parley.ConversationTakenOver || s.streams.count(from.streamKey()) <= idleStreamLimit {
		return nil
	}
	fail := parley.NewErrorf(parley.CodeTooManyRequests, "Too many chats are open at this address.")
	fail.RetryAfter, fail.Limit = time.Minute, idleStreamLimit
	return fail
}

func (c *caller) streamKey() string { return string(c.agent.ID) + " " + c.device() }

// limitStreams returns the handler of a stream, which fails with RATE_LIMIT_TOO_MANY_REQUESTS where the device has
// enough streams of the agent open. The handler begins its stream with s.follow.
func limitStreams[In any](s *server, handle httpapi.Handler[In, httpapi.EventStream],
) httpapi.Handler[In, httpapi.EventStream] {
	return func(ctx context.Context, c *call, in *In) (*httpapi.EventStream, error) {
		release, err := s.countStream(callerOf(c))
		if err != nil {
			return nil, err
		}
		defer release()
		return handle(ctx, c, in)
	}
}

// countStream counts a stream that is about to begin; release counts it no more, unless it has begun by then.
func (s *server) countStream(from *caller) (release func(), err error) {
	key := from.streamKey()
	if !s.streams.take(key) {
		fail := parley.NewErrorf(parley.CodeTooManyRequests, "Too many chats are open at this address.")
		fail.RetryAfter, fail.Limit = 5*time.Second, streamLimit
		return nil, fail
	}
	return func() {
		if !from.hasFeed {
			s.streams.release(key)
		}
	}, nil
}

// follow sends what the feed has, as the last that a handler does.
func (s *server) follow(c *call, out *httpapi.Stream, feed httpapi.Feed) {
	from := callerOf(c)
	key := from.streamKey()
	from.hasFeed = true
	release := func() { s.streams.release(key) }
	if notifier, ok := feed.(httpapi.Notifier); ok {
		feed = countedNotifier{notifier, release}
	} else {
		feed = countedFeed{feed, release}
	}
	c.Follow(out, cmp.Or(s.KeepAliveInterval, uistream.KeepAliveInterval), feed)
}

// countedFeed is a feed whose stream is counted.
type countedFeed struct {
	httpapi.Feed
	release func()
}

// Close implements httpapi.Feed.
func (f countedFeed) Close() {
	f.Feed.Close()
	f.release()
}

// countedNotifier is a countedFeed that tells when there is something to send.
type countedNotifier struct {
	httpapi.Notifier
	release func()
}

// Close implements httpapi.Feed.
func (f countedNotifier) Close() {
	f.Notifier.Close()
	f.release()
}
