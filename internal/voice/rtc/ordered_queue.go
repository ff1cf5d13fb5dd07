package rtc

import (
	"context"
	"sync"
	"time"
)

// orderedQueue passes values on in order, without blocking put.
type orderedQueue[T any] struct {
	mu     sync.Mutex
	queue  []T
	wakeup chan struct{}
	closed bool
}

func newOrderedQueue[T any]() *orderedQueue[T] {
	return &orderedQueue[T]{wakeup: make(chan struct{}, 1)}
}

func (q *orderedQueue[T]) put(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.queue = append(q.queue, v)
		q.wake()
	}
}

// close accepts no further values; those in the queue are still passed on.
func (q *orderedQueue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

func (q *orderedQueue[T]) wake() {
	select {
	case q.wakeup <- struct{}{}:
	default:
	}
}

// each calls f for every value until the queue is closed and empty, or f returns false.
func (q *orderedQueue[T]) each(f func(T) bool) {
	for range q.wakeup { // again for what is put while f runs
		q.mu.Lock()
		taken, over := q.queue, q.closed
		q.queue = nil
		q.mu.Unlock()
		for _, v := range taken {
			if !f(v) {
				return
			}
		}
		if over {
			return
		}
	}
}

// deliverEvents sends events to their reader. When the agent has left, it does not wait for a reader that is gone.
func deliverEvents(left context.Context, events *orderedQueue[Event], to chan<- Event) {
	defer close(to)
	events.each(func(e Event) bool {
		select {
		case to <- e:
			return true
		case <-left.Done():
		}
		select {
		case to <- e:
			return true
		case <-time.After(time.Second):
			return false
		}
	})
}
