package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// lifecycle records when components start and stop.
type lifecycle struct {
	mu     sync.Mutex
	events []string
}

func (l *lifecycle) record(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, event)
}

func (l *lifecycle) component(name string) component {
	return component{name, func(ctx context.Context) error {
		<-ctx.Done()
		l.record(name)
		return nil
	}}
}

func TestComponentsStopInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- runComponents(ctx, []component{l.component("a"), l.component("b"), l.component("c")}) }()
		synctest.Wait()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := []string{"c", "b", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

func TestFailedComponentStopsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		cause := errors.New("broken")
		failing := component{"b", func(context.Context) error { return cause }}
		err := runComponents(t.Context(), []component{l.component("a"), failing, l.component("c")})
		if !errors.Is(err, cause) || err.Error() != "b: broken" {
			t.Errorf("returned %v", err)
		}
		if want := []string{"c", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

// A program that has unmapped its pages maps them again when it needs them.
func TestUnmappedPagesAreMappedAgain(t *testing.T) {
	for range 3 {
		unmapUnusedPages()
		text, err := json.Marshal(map[string]any{"settings": Config{}.StorageConfig})
		if err != nil || len(text) == 0 {
			t.Fatalf("%s, %v", text, err)
		}
	}
}
