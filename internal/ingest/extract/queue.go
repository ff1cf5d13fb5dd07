package extract

import (
	"cmp"
	"context"
	"slices"
)

type ownerKey struct{}

// WithOwner returns a context that names whose file is read. Where files wait for a reader, their owners take turns.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// slotQueue is where files wait for a slot, of which there are a few. It looks at each waiting
// file, of which there are no more than workers. Callers hold a lock.
type slotQueue struct {
	freeSlots      []*child // slots; nil where none runs
	waiting        []*waiter
	runningByOwner map[string]int // files by owner
	// when an owner had its latest turn, as the number of that turn; forgotten when nothing waits
	lastTurnByOwner map[string]int
	turns           int
}

const maxRememberedOwners = 10_000 // owners that are remembered

type waiter struct {
	owner string
	size  int // halved by each file of the same owner that goes first, so that a large one's turn comes
	slot  chan *child
}

// enqueue adds a file, which receives a slot now or when its turn has come.
func (l *slotQueue) enqueue(owner string, size int) *waiter {
	w := &waiter{owner: owner, size: size, slot: make(chan *child, 1)}
	l.waiting = append(l.waiting, w)
	l.dispatch()
	return w
}

// remove removes a file, and reports whether it was still waiting.
func (l *slotQueue) remove(w *waiter) bool {
	i := slices.Index(l.waiting, w)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// release takes a slot back.
func (l *slotQueue) release(owner string, c *child) {
	if l.runningByOwner[owner]--; l.runningByOwner[owner] <= 0 {
		delete(l.runningByOwner, owner)
	}
	if len(l.runningByOwner) == 0 && len(l.waiting) == 0 || len(l.lastTurnByOwner) > maxRememberedOwners {
		clear(l.lastTurnByOwner)
	}
	l.freeSlots = append(l.freeSlots, c)
	l.dispatch()
}

func (l *slotQueue) dispatch() {
	for len(l.freeSlots) > 0 && len(l.waiting) > 0 {
		w := l.takeNext()
		l.remove(w)
		l.runningByOwner[w.owner]++
		l.turns++
		l.lastTurnByOwner[w.owner] = l.turns
		last := len(l.freeSlots) - 1
		w.slot <- l.freeSlots[last]
		l.freeSlots = l.freeSlots[:last]
	}
}

// takeNext chooses the owner with the fewest files being read, and of those the one whose latest turn is longest ago;
// of its files the smallest.
func (l *slotQueue) takeNext() *waiter {
	best := slices.MinFunc(l.waiting, l.compare)
	for _, w := range l.waiting {
		if w.owner == best.owner {
			w.size /= 2
		}
	}
	return best
}

func (l *slotQueue) compare(a, b *waiter) int {
	if a.owner == b.owner {
		return cmp.Compare(a.size, b.size)
	}
	return cmp.Or(cmp.Compare(l.runningByOwner[a.owner], l.runningByOwner[b.owner]),
		cmp.Compare(l.lastTurnByOwner[a.owner], l.lastTurnByOwner[b.owner]))
}
