package words

import "testing"

func TestAsksHow(t *testing.T) {
	for question, want := range map[string]bool{"How do I export?": true, "¿Cómo exporto?": true,
		"How many photos?": false, "Show me how": false} {
		if AsksHow(question) != want {
			t.Errorf("%q: %v", question, !want)
		}
	}
}
