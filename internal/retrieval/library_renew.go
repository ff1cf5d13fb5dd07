package retrieval

import "context"

// renew builds the index of a volume anew, beside the worn one, which answers meanwhile, and then shows it in its place. When it
// fails the worn one goes on, and the next change tries again.
func (l *Library) renew(ctx context.Context, v *volume) {
	for again := true; again; {
		_, since := v.current()
		index := NewIndex()
		err := l.readAll(ctx, index, v.agent, 0)
		v.token <- struct{}{}
		if err == nil {
			err = l.replace(ctx, v, index, since)
		}
		again = err == nil && index.worn() // by what came while it was built
		v.renewing = again
		<-v.token
	}
}

// replace shows another index, which was read when the volume showed a version or later, once it has what came since. Its caller holds the token.
func (l *Library) replace(ctx context.Context, v *volume, index *Index, since int64) error {
	_, version := v.current()
	if err := l.readAll(ctx, index, v.agent, since); err != nil {
		return err
	}
	v.show(index, version)
	l.weigh(v)
	return nil
}
