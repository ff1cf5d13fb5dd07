package local_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testkit/check"
	"parley/internal/testkit/tinymodel"
)

// naughtyTexts returns texts that have brought other programs down: the Big List of Naughty Strings, where it lies
// beside the checkout, and some of ours.
func naughtyTexts(t *testing.T) []string {
	t.Helper()
	list := []string{"\x00", "a\x00b", "\xff\xfe\xc0", "\u2028\u200b", "\ufffd", "\U0010ffff", "▁▁", "[CLS][SEP][PAD]",
		"</s><s>", strings.Repeat("e\u0301", 3000), strings.Repeat("漢", 9000), strings.Repeat("x", 100_000),
		strings.Repeat("🏳️‍🌈", 500), strings.Repeat("\u0301", 5000), strings.Repeat(" ", 100_000), "ﷺ"}
	folder, ok := check.FindSharedDir(t, "naughty-strings")
	if !ok {
		return list
	}
	text, err := os.ReadFile(filepath.Join(folder, "blns.json"))
	check.Must(t, err)
	var known []string
	check.Must(t, json.Unmarshal(text, &known))
	return append(list, known...)
}

// Whatever a text holds, it has a vector of length 1, or none at all in a model that knows nothing of it.
func TestNaughtyTexts(t *testing.T) {
	transformer, _ := newModel(t, variants["bert"])
	static := t.TempDir()
	tinymodel.WriteStatic(t, static, map[string][]float64{"x": {1, 0, 0, 0, 0, 0, 0, 0}, "##x": {0, 1, 0, 0, 0, 0, 0, 0}})
	texts := naughtyTexts(t)
	for name, folder := range map[string]string{"transformer": transformer, "static": static} {
		vectors, err := open(t, folder).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range vectors {
			if v == nil && name == "static" {
				continue
			}
			squares := 0.0
			for _, x := range v {
				squares += float64(x) * float64(x)
			}
			if math.Abs(squares-1) > 1e-5 {
				t.Errorf("%s: %.60q has a vector of length %g", name, texts[i], math.Sqrt(squares))
			}
		}
	}
}

// A real model, where one lies beside the checkout, puts what means the same nearer than what does not.
func TestRealModels(t *testing.T) {
	data, ok := check.FindSharedDir(t, "naughty-strings")
	folders, _ := filepath.Glob(filepath.Join(filepath.Dir(data), "models", "*", "config.json"))
	if !ok || len(folders) == 0 {
		t.Log("no real model is here")
	}
	for _, config := range folders {
		e := open(t, filepath.Dir(config))
		questions, err := e.Questions().Embed(t.Context(), []string{"How do I rotate the key?", "Are you open on Sunday?"})
		check.Must(t, err)
		passages, err := e.Embed(t.Context(), []string{"Secrets are renewed in the settings.",
			"The shop is closed at the weekend."})
		check.Must(t, err)
		for i := range 2 {
			same, other := dot(questions[i], passages[i]), dot(questions[i], passages[1-i])
			t.Logf("%s: %.3f to what answers, %.3f to the other", e.Name(), same, other)
			if same <= other {
				t.Errorf("%s: question %d is nearer to the other passage", e.Name(), i)
			}
		}
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
