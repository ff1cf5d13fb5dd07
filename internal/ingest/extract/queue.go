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

type contactsKey struct{}

// WithContacts returns a context in which ReadPage keeps how to reach a site although the page is not at "/": the
// source has no page there.
func WithContacts(ctx context.Context) context.Context {
	return context.WithValue(ctx, contactsKey{}, true)
}

func keepsContacts(ctx context.Context) bool { return ctx.Value(contactsKey{}) != nil }

// slotQueue is where files wait for a slot, of which there are a few. It looks at each waiting
// file, of which there are no more than workers. Callers hold a lock.
type slotQueue struct {
	freeSlots      []*child // slots; nil if none runs
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
func (q *slotQueue) enqueue(owner string, size int) *waiter {
	w := &waiter{owner: owner, size: size, slot: make(chan *child, 1)}
	q.waiting = append(q.waiting, w)
	q.dispatch()
	return w
}

// remove removes a file, and reports whether it was still waiting.
func (q *slotQueue) remove(w *waiter) bool {
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// release takes a slot back.
func (q *slotQueue) release(owner string, c *child) {
	if q.runningByOwner[owner]--; q.runningByOwner[owner] <= 0 {
		delete(q.runningByOwner, owner)
	}
	if len(q.runningByOwner) == 0 && len(q.waiting) == 0 || len(q.lastTurnByOwner) > maxRememberedOwners {
		clear(q.lastTurnByOwner)
	}
	q.freeSlots = append(q.freeSlots, c)
	q.dispatch()
}

func (q *slotQueue) dispatch() {
	for len(q.freeSlots) > 0 && len(q.waiting) > 0 {
		w := q.takeNext()
		q.remove(w)
		q.runningByOwner[w.owner]++
		q.turns++
		q.lastTurnByOwner[w.owner] = q.turns
		last := len(q.freeSlots) - 1
		w.slot <- q.freeSlots[last]
		q.freeSlots = q.freeSlots[:last]
	}
}

// takeNext chooses the owner with the fewest files being read, and of those the one whose latest turn is longest ago;
// of its files the smallest.
func (q *slotQueue) takeNext() *waiter {
	best := slices.MinFunc(q.waiting, q.compare)
	for _, w := range q.waiting {
		if w.owner == best.owner {
			w.size /= 2
		}
	}
	return best
}

func (q *slotQueue) compare(a, b *waiter) int {
	if a.owner == b.owner {
		return cmp.Compare(a.size, b.size)
	}
	return cmp.Or(cmp.Compare(q.runningByOwner[a.owner], q.runningByOwner[b.owner]),
		cmp.Compare(q.lastTurnByOwner[a.owner], q.lastTurnByOwner[b.owner]))
}
