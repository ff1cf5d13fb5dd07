package wire

import (
	"sync/atomic"
	"time"
)

// Watch is told of the requests of one or more faces. A nil one is told nothing.
type Watch struct {
	Streams atomic.Int64 // streams of server-sent events that are open

	// Answered is told of each request when its answer has ended. The route is the pattern of its path; "/", or nothing, stands for paths
	// that lead nowhere. It must not wait. May be nil.
	Answered func(method, route string, status int, took time.Duration)
}

func (w *Watch) opened(rec *recorder) {
	if w != nil && !rec.stream {
		rec.stream = true
		w.Streams.Add(1)
	}
}

func (w *Watch) ended(rec *recorder, method string, now func() time.Time) {
	if w == nil {
		return
	}
	if rec.stream {
		w.Streams.Add(-1)
	}
	if w.Answered != nil {
		w.Answered(method, rec.route, rec.status, now().Sub(rec.start))
	}
}
