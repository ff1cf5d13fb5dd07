package httpapi

import (
	"sync/atomic"
	"time"
)

// Observer is told of the requests of one or more faces. A nil one is told nothing.
type Observer struct {
	OpenStreams atomic.Int64 // streams of server-sent events that are open

	// Answered is told of each request when its answer has ended. The route is the pattern of its path; "/", or nothing, stands for paths
	// that lead nowhere. It must not wait. May be nil.
	OnResponse func(method, route string, status int, took time.Duration)
}

func (w *Observer) streamOpened(rec *recorder) {
	if w != nil && !rec.countedStream {
		rec.countedStream = true
		w.OpenStreams.Add(1)
	}
}

func (w *Observer) requestEnded(rec *recorder, method string, now func() time.Time) {
	if w == nil {
		return
	}
	if rec.countedStream {
		w.OpenStreams.Add(-1)
	}
	if w.OnResponse != nil {
		w.OnResponse(method, rec.route, rec.status, now().Sub(rec.start))
	}
}
