package server

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The enumerations of the flags list the engines that there are.
func TestFlagsListAllSpeechEngines(t *testing.T) {
	synthesizers, transcribers := []string{"auto", "none"}, []string{"none"}
	for _, e := range synthesizerEngines {
		synthesizers = append(synthesizers, e.Name)
	}
	for _, e := range transcriberEngines {
		transcribers = append(transcribers, e.Name)
	}
	for field, want := range map[string][]string{"TTS": synthesizers, "STT": transcribers} {
		f, _ := reflect.TypeFor[SpeechConfig]().FieldByName(field)
		got := strings.Split(f.Tag.Get("enum"), ",")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the flag of %s lists %v, the engines are %v", field, got, want)
		}
	}
}
