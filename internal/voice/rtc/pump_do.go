package rtc

// Play queues a clip.
func (p *player) Play(c Clip) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil && len(p.queue) == 0 && p.trailingFrames == 0 {
		p.gain = 1
	}
	p.queue = append(p.queue, c)
	p.wake()
}

// Duck lowers the sound, or restores it.
func (p *player) Duck(low bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ducked = low
}

// Pause holds the output.
func (p *player) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.gain = true, 0
}

// Resume plays on from where Pause held it, rising from silence within a frame.
func (p *player) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	p.wake()
}

// Stop drops everything and tells what was cut.
func (p *player) Stop() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	var cut Position
	if p.current != nil {
		cut = p.current.position()
		p.onEvent(Event{Kind: EventEnded, At: p.now(), Position: cut})
	}
	for _, c := range p.queue {
		p.onEvent(Event{Kind: EventEnded, At: p.now(), Position: Position{ID: c.ID}})
	}
	p.current, p.queue = nil, nil
	p.paused, p.ducked, p.gain = false, false, 1
	return cut
}

// Position tells what is playing.
func (p *player) Position() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return Position{}
	}
	return p.current.position()
}

// wake wakes the pump; a call that is pending already is enough.
func (p *player) wake() {
	select {
	case p.wakeup <- struct{}{}:
	default:
	}
}

func (p *player) addStats(s *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.SentLate = p.latePackets
	s.Sent, s.Underruns, s.GapP95, s.GapMax = p.sentPackets, p.underruns, p.gaps.p95(), p.gaps.max
}
