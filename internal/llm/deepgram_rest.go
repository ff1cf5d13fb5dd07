package llm

import "time"

// restingLine is a connection between two segments.
type restingLine struct {
	*deepgramLine
	wake chan struct{} // closed when it is wanted
	done chan struct{} // closed when it rests no more
	dead bool          // it was cut; once done is closed
}

// rest keeps a connection for the speaker's next segment, by a word now and then, as the protocol wants it. After a while it is closed.
func (d *Deepgram) rest(h Hints, l *deepgramLine) {
	r := &restingLine{deepgramLine: l, wake: make(chan struct{}), done: make(chan struct{})}
	key := d.restKey(h)
	d.mu.Lock()
	known := d.rests[key] != nil
	if !known && !d.shut {
		if d.rests == nil {
			d.rests = map[string]*restingLine{}
		}
		d.rests[key] = r
	}
	shut := d.shut
	d.mu.Unlock()
	if known || shut {
		_ = l.write(frameText, wordClose) // it is hung up all the same
		l.end()
		return
	}
	go func() {
		defer close(r.done)
		r.dead = !r.wait(or(d.KeepAlive, 4*time.Second), or(d.Rest, 20*time.Second))
		if r.dead {
			d.mu.Lock()
			if d.rests[key] == r {
				delete(d.rests, key)
			}
			d.mu.Unlock()
			r.end()
		}
	}()
}

// wait tells whether the connection is wanted again before it ends.
func (r *restingLine) wait(keep, most time.Duration) (wanted bool) {
	words, over := time.NewTicker(keep), time.NewTimer(most)
	defer words.Stop()
	defer over.Stop()
	for {
		select {
		case <-r.wake:
			return true
		case <-words.C:
			if r.write(frameText, wordKeepAlive) != nil {
				return false
			}
		case <-over.C:
			_ = r.write(frameText, wordClose) // it is hung up all the same
			return false
		case _, ok := <-r.messages: // nothing of it is anybody's text
			if !ok {
				return false
			}
		}
	}
}

// wake gives the connection that rests for a speaker; nil where there is none.
func (d *Deepgram) wake(h Hints) *deepgramLine {
	if h.Speaker == "" {
		return nil
	}
	d.mu.Lock()
	r := d.rests[d.restKey(h)]
	delete(d.rests, d.restKey(h))
	d.mu.Unlock()
	if r == nil {
		return nil
	}
	close(r.wake)
	if <-r.done; r.dead {
		return nil
	}
	return r.deepgramLine
}

// restKey tells connections apart: those of other speakers, and those that were asked for other things.
func (d *Deepgram) restKey(h Hints) string { return h.Speaker + "\n" + d.address(h) }

// Close hangs up what rests, and drops the idle connections.
func (d *Deepgram) Close() {
	d.mu.Lock()
	d.shut = true
	rests := d.rests
	d.rests = nil
	d.mu.Unlock()
	for _, r := range rests {
		close(r.wake)
		if <-r.done; !r.dead {
			_ = r.write(frameText, wordClose) // it is hung up all the same
			r.end()
		}
	}
	d.SpeechServer.Close()
}
