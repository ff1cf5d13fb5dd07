package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	pauseAfter = 500 * time.Millisecond // of silence: the agent has finished
	answersIn  = 10 * time.Second
	guarded    = 2500 * time.Millisecond // of the agent's first sound, in which it does not let itself be interrupted easily
	saidFor    = 1200 * time.Millisecond
)

// talked is what callers found, in milliseconds.
type talked struct {
	Spoken []float64 // from the last packet of speech to the first of the answer
	Typed  []float64 // from a message to the first packet of the answer
	Ducked []float64 // from the first packet of speech to the first soft one of the agent's
	Silent []float64 // from the first packet of speech to the last sound of the agent's
	Cut    []float64 // from a message over the agent's words to their last sound
	Failed int
	Why    string // of the first failure
}

func (t *talked) fail(err error) {
	if t.Failed++; t.Why == "" {
		t.Why = err.Error()
	}
}

func (t *talked) add(o *talked) {
	t.Spoken, t.Typed = append(t.Spoken, o.Spoken...), append(t.Typed, o.Typed...)
	t.Ducked, t.Silent, t.Cut = append(t.Ducked, o.Ducked...), append(t.Silent, o.Silent...), append(t.Cut, o.Cut...)
	t.Failed += o.Failed
	if t.Why == "" {
		t.Why = o.Why
	}
}

var errEarly = errors.New("the agent answered before the question had ended")

// asks speaks, and waits for the answer.
func (c *caller) asks(ctx context.Context, s *sounds, n int, t *talked) error {
	if err := c.quiet(ctx, pauseAfter); err != nil {
		return err
	}
	_, last := c.says(ctx, s, s.voice, time.Duration(700+37*(n%16))*time.Millisecond)
	a, err := c.hears(ctx, time.Time{}, answersIn)
	switch {
	case err != nil:
		return err
	case a.at.Before(last):
		return fmt.Errorf("%w, by %v", errEarly, last.Sub(a.at).Round(time.Millisecond))
	}
	t.Spoken = append(t.Spoken, ms(a.at.Sub(last)))
	return nil
}

// types does the same in writing.
func (c *caller) types(ctx context.Context, t *talked) error {
	if err := c.quiet(ctx, pauseAfter); err != nil {
		return err
	}
	began := time.Now()
	c.writes(spokenQuestion)
	a, err := c.hears(ctx, began, answersIn)
	if err == nil {
		t.Typed = append(t.Typed, ms(a.at.Sub(began)))
	}
	return err
}

// listens has the agent read the long answer for a while.
func (c *caller) listens(ctx context.Context, length time.Duration) error {
	if err := c.quiet(ctx, pauseAfter); err != nil {
		return err
	}
	c.writes(longQuestion)
	a, err := c.hears(ctx, time.Time{}, answersIn)
	if err == nil {
		c.record(ctx, a.at.Add(length))
	}
	return err
}

// interrupts speaks over the agent.
func (c *caller) interrupts(ctx context.Context, s *sounds, n int, t *talked) error {
	if err := c.listens(ctx, time.Duration(700+43*(n%10))*time.Millisecond); err != nil {
		return err
	}
	first, _ := c.says(ctx, s, s.cries[n%len(s.cries)], saidFor)
	ducked, silent, err := fades(first, c.record(ctx, first.Add(saidFor)))
	if err == nil {
		t.Ducked, t.Silent = append(t.Ducked, ms(ducked)), append(t.Silent, ms(silent))
	}
	return err
}

// cuts writes over the agent.
func (c *caller) cuts(ctx context.Context, n int, t *talked) error {
	if err := c.listens(ctx, time.Duration(700+43*(n%10))*time.Millisecond); err != nil {
		return err
	}
	began := time.Now()
	c.writes(spokenQuestion)
	_, silent, err := fades(began, c.record(ctx, began.Add(saidFor)))
	if err == nil {
		t.Cut = append(t.Cut, ms(silent))
	}
	return err
}

const (
	softer = loudness / 2  // an agent that has ducked has a quarter of its loudness
	still  = loudness / 10 // and one that is silent none
)

var errGoesOn = errors.New("the agent did not fall silent")

// fades finds, in what came since something began, after what time the agent was softer, and after what time it was heard last.
func fades(began time.Time, list []reception) (ducked, silent time.Duration, err error) {
	last := began
	for _, a := range list {
		if a.at.Before(began) {
			continue
		}
		if ducked == 0 && a.peak < softer {
			ducked = a.at.Sub(began)
		}
		if a.peak < still {
			return ducked, last.Sub(began), nil
		}
		last = a.at
	}
	return 0, 0, errGoesOn
}
