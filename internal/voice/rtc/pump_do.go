package rtc

// Play queues a clip.
func (p *pump) Play(c Clip) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clip == nil && len(p.queue) == 0 && p.tail == 0 {
		p.gain = 1
	}
	p.queue = append(p.queue, c)
	p.stir()
}

// Duck lowers the sound, or restores it.
func (p *pump) Duck(low bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ducked = low
}

// Pause holds the output.
func (p *pump) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.gain = true, 0
}

// Resume plays on from where Pause held it, rising from silence within a frame.
func (p *pump) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = false
	p.stir()
}

// Stop drops everything and tells what was cut.
func (p *pump) Stop() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	var cut Position
	if p.clip != nil {
		cut = p.clip.position()
		p.tell(Event{Kind: EventEnded, At: p.now(), Position: cut})
	}
	for _, c := range p.queue {
		p.tell(Event{Kind: EventEnded, At: p.now(), Position: Position{ID: c.ID}})
	}
	p.clip, p.queue = nil, nil
	p.paused, p.ducked, p.gain = false, false, 1
	return cut
}

// Position tells what is playing.
func (p *pump) Position() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clip == nil {
		return Position{}
	}
	return p.clip.position()
}

// stir wakes the pump; a call that is pending already is enough.
func (p *pump) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pump) stats(s *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Tardy = p.tardy
	s.Sent, s.Starved, s.GapP95, s.GapMax = p.sent, p.starved, p.gaps.p95(), p.gaps.max
}
