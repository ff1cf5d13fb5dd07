package voice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/bench/internal/report"
)

const (
	endSilence    = 500 * time.Millisecond // of silence: the agent has finished
	answerLimit   = 10 * time.Second
	echoGuardTime = 2500 * time.Millisecond // of the agent's first sound, in which it is hard to interrupt
	speechTime    = 1200 * time.Millisecond
)

// voiceResult holds the measurements of callers, in milliseconds.
type voiceResult struct {
	Spoken []float64 // from the last packet of speech to the first of the answer
	Typed  []float64 // from a message to the first packet of the answer
	Ducked []float64 // from the first packet of speech to the first soft one of the agent's
	Silent []float64 // from the first packet of speech to the last sound of the agent's
	Cut    []float64 // from a message over the agent's words to their last sound
	Failed int
	Why    string // of the first failure
}

func (r *voiceResult) fail(err error) {
	if r.Failed++; r.Why == "" {
		r.Why = err.Error()
	}
}

func (r *voiceResult) add(o *voiceResult) {
	r.Spoken, r.Typed = append(r.Spoken, o.Spoken...), append(r.Typed, o.Typed...)
	r.Ducked, r.Silent, r.Cut = append(r.Ducked, o.Ducked...), append(r.Silent, o.Silent...), append(r.Cut, o.Cut...)
	r.Failed += o.Failed
	if r.Why == "" {
		r.Why = o.Why
	}
}

var errAnsweredEarly = errors.New("the agent answered before the question had ended")

func (c *voiceClient) askByVoice(ctx context.Context, s *callerSounds, n int, t *voiceResult) error {
	if err := c.waitForSilence(ctx, endSilence); err != nil {
		return err
	}
	_, last := c.speakFor(ctx, s, s.voice, time.Duration(700+37*(n%16))*time.Millisecond)
	a, err := c.waitForPacket(ctx, time.Time{}, answerLimit)
	switch {
	case err != nil:
		return err
	case a.receivedAt.Before(last):
		return fmt.Errorf("%w, by %v", errAnsweredEarly, last.Sub(a.receivedAt).Round(time.Millisecond))
	}
	t.Spoken = append(t.Spoken, report.Milliseconds(a.receivedAt.Sub(last)))
	return nil
}

func (c *voiceClient) askByText(ctx context.Context, t *voiceResult) error {
	if err := c.waitForSilence(ctx, endSilence); err != nil {
		return err
	}
	began := time.Now()
	c.sendText(spokenQuestion)
	a, err := c.waitForPacket(ctx, began, answerLimit)
	if err == nil {
		t.Typed = append(t.Typed, report.Milliseconds(a.receivedAt.Sub(began)))
	}
	return err
}

// waitForLongAnswer asks for the long answer, and lets the agent read it for a while.
func (c *voiceClient) waitForLongAnswer(ctx context.Context, length time.Duration) error {
	if err := c.waitForSilence(ctx, endSilence); err != nil {
		return err
	}
	c.sendText(longQuestion)
	a, err := c.waitForPacket(ctx, time.Time{}, answerLimit)
	if err == nil {
		c.receivedUntil(ctx, a.receivedAt.Add(length))
	}
	return err
}

func (c *voiceClient) interruptByVoice(ctx context.Context, s *callerSounds, n int, t *voiceResult) error {
	if err := c.waitForLongAnswer(ctx, time.Duration(700+43*(n%10))*time.Millisecond); err != nil {
		return err
	}
	first, _ := c.speakFor(ctx, s, s.interruptions[n%len(s.interruptions)], speechTime)
	ducked, silent, err := measureFade(first, c.receivedUntil(ctx, first.Add(speechTime)))
	if err == nil {
		t.Ducked, t.Silent = append(t.Ducked, report.Milliseconds(ducked)), append(t.Silent, report.Milliseconds(silent))
	}
	return err
}

func (c *voiceClient) interruptByText(ctx context.Context, n int, t *voiceResult) error {
	if err := c.waitForLongAnswer(ctx, time.Duration(700+43*(n%10))*time.Millisecond); err != nil {
		return err
	}
	began := time.Now()
	c.sendText(spokenQuestion)
	_, silent, err := measureFade(began, c.receivedUntil(ctx, began.Add(speechTime)))
	if err == nil {
		t.Cut = append(t.Cut, report.Milliseconds(silent))
	}
	return err
}

const (
	maxDuckedPeak = humAmplitude / 2  // an agent that has ducked has a quarter of its loudness
	maxSilentPeak = humAmplitude / 10 // and one that is silent none
)

var errNotSilent = errors.New("the agent did not fall silent")

// measureFade returns, from the packets since began, after what time the agent was softer, and after what time it was
// last heard.
func measureFade(began time.Time, list []receivedPacket) (ducked, silent time.Duration, err error) {
	last := began
	for _, a := range list {
		if a.receivedAt.Before(began) {
			continue
		}
		if ducked == 0 && a.peak < maxDuckedPeak {
			ducked = a.receivedAt.Sub(began)
		}
		if a.peak < maxSilentPeak {
			return ducked, last.Sub(began), nil
		}
		last = a.receivedAt
	}
	return 0, 0, errNotSilent
}
