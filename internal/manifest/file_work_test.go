//go:build unix

package manifest

import (
	"strings"
	"testing"

	"parley/internal/testkit/hostile"
)

// The time to read a manifest is linear in its size.
func TestWork(t *testing.T) {
	hostile.Readers(t, map[string]func(text string){
		"read":    func(text string) { readManifest(text) },
		"value":   func(text string) { readManifest("agent: {name: a, instructions: \n" + text) },
		"block":   func(text string) { readManifest("a: |\n  " + strings.ReplaceAll(text, "\n", "\n  ")) },
		"written": func(text string) { _, _ = Write(textOf(text)) },
	})
}

// The time to compare two texts is quadratic in their lines up to maxComparisons, and beyond that linear in their size.
func TestWorkOfDiff(t *testing.T) {
	for _, kind := range []hostile.Kind{
		hostile.Made("equal lines", "", "a: b\n", ""),
		hostile.Made("two kinds of lines", "", "a: b\nc: d\n", ""),
		hostile.Made("empty lines", "", "\n", ""),
	} {
		hostile.RequireLinear(t, hostile.Size(64<<10), kind, func(text string) { Diff(text, "a\n"+text+"\nb") })
	}
}

func textOf(text string) []byte {
	return jsonObject("a", strings.ToValidUTF8(text, ""))
}

// The same holds for anchors, aliases, nesting and long names.
func TestWorkOfRepeatedNodes(t *testing.T) {
	for _, kind := range []hostile.Kind{
		hostile.Made("items", "a:\n", "- b\n", ""),
		hostile.Made("names", "", "? b\n: c\n", ""),
		hostile.Made("a flow", "a: [", "b, ", "c]\n"),
		hostile.Made("flows", "a: [", "{b: c}, ", "c]\n"),
		hostile.Made("depth", "a: ", "[", "\n"),
		hostile.Made("depth of mappings", "a: ", "{a: ", "\n"),
		hostile.Made("anchors", "a: [", "&b c, ", "c]\n"),
		hostile.Made("aliases", "a: &b c\nd: [", "*b, ", "c]\n"),
		hostile.Made("comments", "a: b\n", "# c\n", "d: e\n"),
		hostile.Made("comments of items", "a:\n", "# c\n- d\n", ""),
		hostile.Made("documents", "", "a: b\n---\n", "a: b\n"),
		hostile.Made("tags", "a: [", "!!str b, ", "c]\n"),
		hostile.Halves("a long name", "? ", "a", "\n: {", "b: , ? ", "}\n"),
		hostile.Halves("a long name of items", "? ", "a", "\n: [", "b, ", "]\n"),
		hostile.Halves("sources that are one large one", "a: &x\n", "  b: c\n", "sources: [", "*x, ", "]\n"),
		hostile.Halves("actions with one large header", "a: &x {config: {headers: {",
			"authorization: Bearer 0123456789, ", "}}}\nactions: [", "*x, ", "]\n"),
	} {
		hostile.RequireLinear(t, hostile.Size(16<<10), kind, func(text string) { readManifest(text) })
	}
}

// A name that is too long is a fault, and the rest of the manifest is read.
func TestLongNameIsAFault(t *testing.T) {
	f := readManifest("agent: {name: a}\n? " + strings.Repeat("n", 2*maxName) + "\n: b\n")
	if len(f.Faults) != 1 || !strings.Contains(f.Faults[0].Text, "at most 1024 bytes") || len(f.Faults[0].Path) > 200 {
		t.Errorf("%.300q", f.Faults)
	}
	if f = readManifest("? " + strings.Repeat("n", maxName) + "\n: b\n"); len(f.Faults) > 0 {
		t.Errorf("%.300q", f.Faults)
	}
}

func FuzzWork(f *testing.F) {
	for _, s := range []string{"- a\n", "a: [", "{? b : *c, ", "&a ", "# b\n", "|\n a\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		hostile.RequireBounded(t, unit, func(text string) { readManifest(text) })
	})
}
