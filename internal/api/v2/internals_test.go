package v2

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Each body that creates a source is a sourceBody, or its request would fail.
func TestEveryNewSourceBodyAddsASource(t *testing.T) {
	bodies := []reflect.Type{reflect.TypeFor[*newSourceBody]()}
	for len(bodies) > 0 {
		body := bodies[0]
		bodies = bodies[1:]
		if body.Implements(reflect.TypeFor[sourceBody]()) {
			continue
		}
		first, isChoice := body.Elem().FieldByName("A")
		if !isChoice {
			t.Errorf("%v is no sourceBody", body)
			continue
		}
		second, _ := body.Elem().FieldByName("B")
		bodies = append(bodies, first.Type, second.Type)
	}
}

// TestEveryPostCanRepeatItsReply fails for a POST that says neither what it answers when its effect is there already
// nor that it has none.
func TestEveryPostCanRepeatItsReply(t *testing.T) {
	s := &server{}
	known := s.newReplayRules()
	for _, op := range NewAPI(Config{}).Operations() {
		_, isKnown := known[op.Name]
		if op.Method == http.MethodPost && isKnown == op.Repeatable {
			t.Errorf("%s %s: in newReplayRules %v, Repeatable %v; one of them must be true", op.Name, op.Path, isKnown,
				op.Repeatable)
		}
		delete(known, op.Name)
	}
	for name := range known {
		t.Errorf("newReplayRules has %s, which is no operation", name)
	}
}

// What a manifest may set is what an export shows: else an export would lose it, or could not be applied.
func TestSettingsThatAreShownCanBeSet(t *testing.T) {
	set, shown := jsonFieldNames(reflect.TypeFor[AgentSettings]()), jsonFieldNames(reflect.TypeFor[exportedSettings]())
	if !slices.Equal(set, shown) {
		t.Errorf("can be set:  %v\nare shown: %v", set, shown)
	}
}

func jsonFieldNames(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			names = append(names, jsonFieldNames(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
