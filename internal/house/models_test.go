package house

import "testing"

func TestHalfAModelIsRefused(t *testing.T) {
	const url = "http://localhost:11434/v1"
	for name, c := range map[string]struct {
		models  Models
		refused bool
		answers string
	}{
		"nothing":          {Models{}, false, "the built-in model"},
		"all":              {Models{ModelURL: url, ModelID: "llama3.1", ModelKey: "k"}, false, "llama3.1 at localhost:11434"},
		"builtin by map":   {Models{ModelMap: map[string]string{"auto": "builtin"}}, false, "the built-in model"},
		"auto by map":      {Models{ModelURL: url, ModelID: "a", ModelMap: map[string]string{"auto": "b"}}, false, "b at localhost:11434"},
		"auto is built in": {Models{ModelURL: url, ModelID: "a", ModelMap: map[string]string{"auto": "builtin"}}, false, "the built-in model"},
		"model alone":      {models: Models{ModelID: "llama3.1"}, refused: true},
		"key alone":        {models: Models{ModelKey: "k"}, refused: true},
		"map alone":        {models: Models{ModelMap: map[string]string{"auto": "llama3.1"}}, refused: true},
		"URL alone":        {models: Models{ModelURL: url}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.models.Check(); (err != nil) != c.refused {
				t.Errorf("refused %v: %v", c.refused, err)
			}
			if got := c.models.Answering(); !c.refused && got != c.answers {
				t.Errorf("it says that %s answers", got)
			}
		})
	}
}
