package retrieval

import "context"

// rebuild builds the index of a volume anew, beside the worn one, which answers meanwhile, and then shows it in its place. When it
// fails the worn one goes on, and the next change tries again.
func (l *Indexes) rebuild(ctx context.Context, v *agentIndex) {
	for again := true; again; {
		_, since := v.current()
		index := NewIndex()
		err := l.loadChanges(ctx, index, v.agent, 0)
		v.refreshLock <- struct{}{}
		if err == nil {
			err = l.replaceIndex(ctx, v, index, since)
		}
		again = err == nil && index.isMostlyDeleted() // by what came while it was built
		v.isRebuilding = again
		<-v.refreshLock
	}
}

// replaceIndex shows another index, which was read when the volume showed a version or later, once it has what came since. Its caller holds the token.
func (l *Indexes) replaceIndex(ctx context.Context, v *agentIndex, index *Index, since int64) error {
	_, version := v.current()
	if err := l.loadChanges(ctx, index, v.agent, since); err != nil {
		return err
	}
	v.set(index, version)
	l.recountBytes(v)
	return nil
}
