package words

import (
	"testing"
)

func TestAsksHow(t *testing.T) {
	for question, want := range map[string]bool{"How do I export?": true, "¿Cómo exporto?": true,
		"How many photos?": false, "Show me how": false} {
		if AsksHow(question) != want {
			t.Errorf("%q: %v", question, !want)
		}
	}
}

func TestAsksFor(t *testing.T) {
	for question, want := range map[string]Kind{
		"How many seats are there?":   Number,
		"¿Cuántos asientos hay?":      Number,
		"Wie viele Plätze gibt es?":   Number,
		"كم عدد المقاعد؟":             Number,
		"有多少座位？":                      Number,
		"When was it built?":          Time,
		"In welchem Jahr war das?":    Time,
		"¿En qué año fue?":            Time,
		"这是什么时候？":                     Time,
		"Who built it?":               0,
		"How do I open the settings?": 0,
	} {
		if got := AsksFor(question); got != want {
			t.Errorf("%q asks for %d, want %d", question, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for word, want := range map[string]Kind{"12": Number, "3.5": Number, "1999": Number | Time, "9999": Number,
		"march": 0, "marz": Time, "zwolf": Number, "the": 0, "": 0} {
		if got := KindOf(word); got != want {
			t.Errorf("%q is %d, want %d", word, got, want)
		}
	}
}

func TestLeans(t *testing.T) {
	for message, want := range map[string]bool{
		"Why?":                                     true,
		"And on Sundays when shops close early?":   true,
		"Does it work with older phones?":          true,
		"Und was kostet der große Tarif im Jahr?":  true,
		"¿Y cuánto cuesta el plan grande al año?":  true,
		"它支持旧手机吗？":                                 true,
		"":                                         true,
		"How do I export photos from the desktop?": false,
		"Wie exportiere ich Fotos vom Rechner?":    false,
	} {
		if got := NeedsContext(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}
