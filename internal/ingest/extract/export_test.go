package extract

import (
	"context"
	"time"
)

// WaitUntilIdle waits until the only child of a pool has ended because it was idle.
func (p *Pool) WaitUntilIdle(ctx context.Context) error {
	c, err := p.takeSlot(ctx, "", 0)
	if err != nil {
		return err
	}
	p.releaseSlot("", c)
	if c == nil { // it is stopping already
		return nil
	}
	for ctx.Err() == nil && !c.WaitForExit(10*time.Millisecond) {
		continue
	}
	return ctx.Err()
}

// ReadOrder returns the order in which files are read that arrive in an order, each as a letter for its owner and a
// digit for its size. Reading ends first for the file whose reading began first.
func ReadOrder(slots int, files []string) (order []string) {
	l := slotQueue{freeSlots: make([]*child, slots), runningByOwner: map[string]int{}, lastTurnByOwner: map[string]int{}}
	waiting := map[int]*waiter{}
	for i, f := range files {
		waiting[i] = l.enqueue(f[:1], int(f[1]-'0'))
	}
	for begun := []*waiter{}; len(order) < len(files); {
		for i, f := range files {
			if w := waiting[i]; w != nil && len(w.slot) > 0 {
				order, begun = append(order, f), append(begun, w)
				delete(waiting, i)
			}
		}
		l.release(begun[0].owner, <-begun[0].slot)
		begun = begun[1:]
	}
	return order
}
