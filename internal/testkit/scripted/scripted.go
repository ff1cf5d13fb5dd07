// Package scripted has a model for tests, which plays scripts. Only test files import it.
package scripted

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"parley/internal/model"
)

// Step is a step of a scripted model. Exactly one field is set.
type Step struct {
	Chunk        model.Chunk // sent as it is
	Err          error       // ends the answer with an error
	Barrier      *Barrier    // waits until the barrier is released, or the call is cancelled
	RepeatedText string      // sends this text again and again until the call is cancelled or the consumer stops
}

// Text returns a step that sends text.
func Text(text string) Step { return Step{Chunk: model.Chunk{Text: text}} }

// Stop returns the step that ends an answer.
func Stop() Step { return Step{Chunk: model.Chunk{Finish: &model.Finish{Reason: "stop"}}} }

// ToolCall returns a step that calls a tool; input is a JSON object. A script calls a few tools and ends with
// FinishWithToolCalls.
func ToolCall(id, name, input string) Step {
	return Step{Chunk: model.Chunk{ToolCall: &model.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}}}
}

// NewToolCall is ToolCall with a new id.
func NewToolCall(name, input string) Step {
	return ToolCall(model.NewToolCallID(), name, input)
}

// FinishWithToolCalls returns the step that ends an answer which waits for the results of its tools.
func FinishWithToolCalls() Step {
	return Step{Chunk: model.Chunk{Finish: &model.Finish{Reason: "tool-calls"}}}
}

// Barrier holds a stream open at a chosen point.
type Barrier struct {
	reachOnce   sync.Once
	reached     chan struct{}
	releaseOnce sync.Once
	released    chan struct{}
}

// NewBarrier returns a barrier that holds every stream.
func NewBarrier() *Barrier {
	return &Barrier{reached: make(chan struct{}), released: make(chan struct{})}
}

// Reached is closed once a stream waits at the barrier.
func (b *Barrier) Reached() <-chan struct{} { return b.reached }

// Release lets every stream through, now and later.
func (b *Barrier) Release() { b.releaseOnce.Do(func() { close(b.released) }) }

func (b *Barrier) wait(ctx context.Context) error {
	b.reachOnce.Do(func() { close(b.reached) })
	select {
	case <-b.released:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Model plays its scripts, one for each request. The zero value echoes: it answers with the last message.
type Model struct {
	// StepsFor returns the steps for a request, when no script is left; nil echoes. A script that lacks a last step
	// ends with Stop.
	StepsFor func(model.Request) []Step

	mu           sync.Mutex
	scripts      [][]Step
	requests     []model.Request
	stoppedCalls int
	stopSignal   chan struct{}
}

var _ model.Model = (*Model)(nil)

// New returns a model that plays the steps for its first request and echoes afterwards; see AddScript.
func New(steps ...Step) *Model { return new(Model).AddScript(steps...) }

// AddScript adds a script for one more request.
func (m *Model) AddScript(steps ...Step) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts = append(m.scripts, steps)
	return m
}

// Requests lists the requests so far, oldest first.
func (m *Model) Requests() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]model.Request(nil), m.requests...)
}

// WaitStopped waits until n calls have ended early, because they were cancelled or their consumer stopped. It returns
// false when ctx ends first.
func (m *Model) WaitStopped(ctx context.Context, n int) bool {
	for {
		m.mu.Lock()
		reached, changed := m.stoppedCalls >= n, m.nextStopSignal()
		m.mu.Unlock()
		if reached {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (m *Model) nextStopSignal() chan struct{} {
	if m.stopSignal == nil {
		m.stopSignal = make(chan struct{})
	}
	return m.stopSignal
}

// Stream implements Model.
func (m *Model) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if !playSteps(ctx, m.nextScript(req), yield) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.stoppedCalls++
			close(m.nextStopSignal())
			m.stopSignal = nil
		}
	}
}

func (m *Model) nextScript(req model.Request) []Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	switch {
	case len(m.scripts) > 0:
		steps := m.scripts[0]
		m.scripts = m.scripts[1:]
		return steps
	case m.StepsFor != nil:
		return m.StepsFor(req)
	case len(req.Messages) == 0:
		return nil
	}
	return []Step{Text(req.Messages[len(req.Messages)-1].Text)}
}

// playSteps reports whether the script was played to its end.
func playSteps(ctx context.Context, steps []Step, yield func(model.Chunk, error) bool) bool {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, context.Cause(ctx))
			return false
		}
		switch {
		case step.Err != nil:
			yield(model.Chunk{}, step.Err)
			return true
		case step.Barrier != nil:
			if err := step.Barrier.wait(ctx); err != nil {
				yield(model.Chunk{}, err)
				return false
			}
		case step.RepeatedText != "":
			return repeatText(ctx, step.RepeatedText, yield)
		default:
			if !yield(step.Chunk, nil) {
				return step.Chunk.Finish != nil
			}
			if step.Chunk.Finish != nil {
				return true
			}
		}
	}
	yield(Stop().Chunk, nil)
	return true
}

func repeatText(ctx context.Context, text string, yield func(model.Chunk, error) bool) bool {
	for ctx.Err() == nil {
		if !yield(model.Chunk{Text: text}, nil) {
			return false
		}
	}
	yield(model.Chunk{}, context.Cause(ctx))
	return false
}
