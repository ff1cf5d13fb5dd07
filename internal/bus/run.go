package bus

import (
	"context"
	"sync"
	"time"
)

// Run publishes and listens until ctx is done. While the engine cannot be reached it tries again and again.
func (b *Bus) Run(ctx context.Context) error {
	if b == nil || b.engine == nil {
		<-ctx.Done()
		return nil
	}
	var publishing sync.WaitGroup
	publishing.Go(func() { b.publishPending(ctx) })
	defer publishing.Wait()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, maxPause) {
		if b.listen(ctx) {
			pause = firstPause
		}
		sleep(ctx, pause)
	}
	return nil
}

// listen receives messages until ctx is done or the connection is lost, and reports whether any has arrived.
func (b *Bus) listen(ctx context.Context) (hasWorked bool) {
	listening, stop := context.WithCancel(ctx)
	var pulses sync.WaitGroup
	defer pulses.Wait()
	defer stop()
	b.missed.Store(0)
	err := b.engine.Listen(listening, func() { pulses.Go(func() { b.sendPulses(listening, stop) }) }, b.receive)
	hasWorked = b.isComplete.Swap(false)
	if ctx.Err() == nil {
		b.logger.Warn("other servers are not heard: the database is asked more often", "err", err)
	}
	return hasWorked
}

// sendPulses sends messages to oneself until ctx is done. It calls lost when they do not come back.
func (b *Bus) sendPulses(ctx context.Context, lost func()) {
	tick := time.NewTicker(pulseInterval)
	defer tick.Stop()
	for b.missed.Add(1) <= maxMissed {
		b.Publish(pulse)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	lost()
}

// publishPending publishes what there is to publish until ctx is done, and the rest then.
func (b *Bus) publishPending(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-b.wake:
			sleep(ctx, gatherTime)
			b.Flush(ctx)
		case <-ctx.Done():
		}
	}
	b.Flush(ctx)
}

// Flush publishes now what there is to publish, also when ctx is done. What cannot be published is told as soon as
// something else is.
func (b *Bus) Flush(ctx context.Context) {
	if b == nil || b.engine == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), publishTime)
	defer stop()
	b.mu.Lock()
	taken := b.pending
	b.pending = map[Topic]*signals{}
	b.mu.Unlock()
	for topic, s := range taken {
		if err := b.publishAll(ctx, s.messages(b.name, topic)); err != nil {
			b.logger.Warn("other servers are not told", "topic", topic, "err", err)
			b.keepForLater(topic)
		}
	}
}

func (b *Bus) publishAll(ctx context.Context, list []message) error {
	for _, m := range list {
		if err := b.engine.Publish(ctx, m.text()); err != nil {
			return err
		}
	}
	return nil
}

// keepForLater has a topic told with the next message. Pulses are sent anyhow.
func (b *Bus) keepForLater(topic Topic) {
	if topic == pulse {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending[topic] = &signals{ids: map[string]bool{}, isAll: true}
}

// Close closes the engine. Run must have ended.
func (b *Bus) Close() {
	if b == nil || b.engine == nil {
		return
	}
	b.mu.Lock()
	isEmpty := len(b.pending) == 0
	b.mu.Unlock()
	if !isEmpty { // of a command, whose bus does not run
		b.Flush(context.Background())
	}
	b.engine.Close()
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
