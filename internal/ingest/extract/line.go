package extract

import (
	"context"
	"slices"
)

type ownerKey struct{}

// WithOwner says whose file is read. Where files wait for a reader, their owners take turns.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// line is where files wait for a slot, of which there are a few. It is not for more waiting files than there are
// workers that bring them: it looks at each. Callers hold a lock.
type line struct {
	free    []*child // slots; nil where none runs
	waiting []*waiter
	running map[string]int // files by owner
	served  map[string]int // when an owner had its latest turn, as the number of that turn; forgotten in a lull
	turns   int
}

const mostServed = 10_000 // owners that are remembered

type waiter struct {
	owner string
	size  int // halved by each file of the same owner that goes first, so that a large one's turn comes
	slot  chan *child
}

// join gives a slot to the file, now or when its turn has come.
func (l *line) join(owner string, size int) *waiter {
	w := &waiter{owner: owner, size: size, slot: make(chan *child, 1)}
	l.waiting = append(l.waiting, w)
	l.serve()
	return w
}

// leave takes away a file that waits no more, and reports whether it was still waiting.
func (l *line) leave(w *waiter) bool {
	i := slices.Index(l.waiting, w)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// end takes a slot back.
func (l *line) end(owner string, c *child) {
	if l.running[owner]--; l.running[owner] <= 0 {
		delete(l.running, owner)
	}
	if len(l.running) == 0 && len(l.waiting) == 0 || len(l.served) > mostServed {
		clear(l.served)
	}
	l.free = append(l.free, c)
	l.serve()
}

func (l *line) serve() {
	for len(l.free) > 0 && len(l.waiting) > 0 {
		w := l.next()
		l.leave(w)
		l.running[w.owner]++
		l.turns++
		l.served[w.owner] = l.turns
		last := len(l.free) - 1
		w.slot <- l.free[last]
		l.free = l.free[:last]
	}
}

// next chooses the owner with the fewest files being read, and of those the one whose latest turn is longest ago; of
// its files the smallest.
func (l *line) next() *waiter {
	best := l.waiting[0]
	for _, w := range l.waiting[1:] {
		if l.before(w, best) {
			best = w
		}
	}
	for _, w := range l.waiting {
		if w.owner == best.owner {
			w.size /= 2
		}
	}
	return best
}

func (l *line) before(a, b *waiter) bool {
	if a.owner == b.owner {
		return a.size < b.size
	}
	if x, y := l.running[a.owner], l.running[b.owner]; x != y {
		return x < y
	}
	return l.served[a.owner] < l.served[b.owner]
}
