package v2

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What a manifest may set is what an export shows: else an export would lose it, or could not be applied.
func TestShownSettingsAreThoseThatCanBeSet(t *testing.T) {
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
