//go:build unix

package extract_test

import (
	"testing"

	"parley/internal/ingest/extract"
	costly "parley/internal/testkit/hostile"
)

// The time to read a text file is linear in its size.
func TestWorkOfTexts(t *testing.T) {
	readers := map[string]func(text string){
		"sniff": func(text string) {
			_, _ = extract.Sniff("a", []byte(text))
			_, _ = extract.Sniff("a.json", []byte("["+text))
		},
	}
	for _, kind := range []extract.Kind{extract.TXT, extract.MD, extract.CSV, extract.JSON} {
		readers[string(kind)] = func(text string) { _, _ = extract.ReadFile(t.Context(), kind, "a", []byte(text)) }
	}
	costly.Readers(t, readers)
}

// The same holds for repeated column names and JSON keys.
func TestWorkOfRepeatedElements(t *testing.T) {
	for _, c := range []struct {
		format extract.Kind
		kind   costly.Kind
	}{
		{extract.CSV, costly.Halves("a long name of a column", "a,", "so it goes on ", ",c\n", "a,b\n", "")},
		{extract.CSV, costly.Halves("long names of columns", "a,b,c,d,e,f,g,h,i,j,k,l,m,", "so it goes on ", ",c\n",
			"a,b,,,,,,,,,,,,n\n", "")},
		{extract.CSV, costly.Made("columns", "", "a,", "\n1,2,3\n")},
		{extract.JSON, costly.Made("keys", `{`, `"a":"b",`, `"c":1}`)},
		{extract.JSON, costly.Made("lists", `[`, `["a",{"b":"c"}],`, `1]`)},
		{extract.JSON, costly.Made("lines", "", "{\"a\":\"b\"}\n", "")},
	} {
		t.Run(c.kind.Name, func(t *testing.T) {
			costly.RequireLinear(t, costly.Size(16<<10), c.kind, func(text string) {
				_, _ = extract.ReadFile(t.Context(), c.format, "a", []byte(text))
			})
		})
	}
}

func FuzzTextWork(f *testing.F) {
	for _, s := range []string{"a,b\n", `{"a":`, "# a\n", "\r\f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		costly.RequireBounded(t, unit, func(text string) {
			_, _ = extract.Sniff("a", []byte(text))
			for _, kind := range []extract.Kind{extract.MD, extract.CSV, extract.JSON} {
				_, _ = extract.ReadFile(t.Context(), kind, "a", []byte(text))
			}
		})
	})
}
