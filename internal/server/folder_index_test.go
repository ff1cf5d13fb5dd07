package server

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestPagesOfAFolder(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	folder := fstest.MapFS{
		"b.md":            file("B"),
		"a/deep/c.TXT":    file("C"),
		"a/d.markdown":    file("D"),
		"e.html":          file("E"),
		".hidden/f.md":    file("F"),
		".g.md":           file("G"),
		"latin.md":        file("caf\xe9"),
		"large.md":        file(string(make([]byte, maxPageBytes+1))),
		"a/README":        file("no ending"),
		"a/.git/notes.md": file("H"),
	}
	var skipped []string
	list, err := readPages(folder, func(name, reason string) { skipped = append(skipped, name+": "+reason) })
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list {
		names = append(names, p.name+"="+p.text)
	}
	if diff := cmp.Diff([]string{"a/d.markdown=D", "a/deep/c.TXT=C", "b.md=B"}, names); diff != "" {
		t.Error(diff)
	}
	slices.Sort(skipped)
	if diff := cmp.Diff([]string{"large.md: larger than 8 MB", "latin.md: not UTF-8 text"}, skipped); diff != "" {
		t.Error(diff)
	}
}

func TestCheckNamesEveryFault(t *testing.T) {
	good := Config{ServingConfig: ServingConfig{RateLimit: 1, OpenTurns: 1}}
	if err := good.Check(); err != nil {
		t.Errorf("a good configuration: %v", err)
	}
	bad := Config{
		StorageConfig: StorageConfig{DatabaseURL: "mysql://x", DatabaseQuota: -1},
		ServingConfig: ServingConfig{Drain: -1, BaseURL: "here"},
		ModelConfig:   ModelConfig{ModelURL: "localhost:11434"},
	}
	faults, ok := bad.Check().(interface{ Unwrap() []error })
	if !ok || len(faults.Unwrap()) != 7 {
		t.Errorf("seven faults: %v", bad.Check())
	}
}
