package rtc

import (
	"context"
	"sync"
	"time"
)

// inOrder passes values on in the order in which they came, without making those wait who put them in.
type inOrder[T any] struct {
	mu    sync.Mutex
	queue []T
	stir  chan struct{}
	over  bool
}

func newInOrder[T any]() *inOrder[T] { return &inOrder[T]{stir: make(chan struct{}, 1)} }

func (q *inOrder[T]) put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	q.queue = append(q.queue, v)
	q.wake()
}

// end lets through what is there, and nothing more.
func (q *inOrder[T]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.wake()
}

func (q *inOrder[T]) wake() {
	select {
	case q.stir <- struct{}{}:
	default:
	}
}

// each calls f for every value, until end was called and none is left, or f says no.
func (q *inOrder[T]) each(f func(T) bool) {
	for range q.stir {
		for {
			q.mu.Lock()
			taken, over := q.queue, q.over
			q.queue = nil
			q.mu.Unlock()
			for _, v := range taken {
				if !f(v) {
					return
				}
			}
			if len(taken) > 0 {
				continue
			}
			if over {
				return
			}
			break
		}
	}
}

// deliver hands events to their reader. When the agent has left, a reader that is gone is not waited for.
func deliver(left context.Context, events *inOrder[Event], to chan<- Event) {
	defer close(to)
	events.each(func(e Event) bool {
		select {
		case to <- e:
			return true
		case <-left.Done():
		}
		last := time.NewTimer(time.Second)
		defer last.Stop()
		select {
		case to <- e:
			return true
		case <-last.C:
			return false
		}
	})
}
