package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/bench/internal/report"
)

// front is a built front end: the sizes of its files, compressed, and which of them are loaded when.
type front struct {
	sizes    map[string]float64  // kB, by the name below assets
	initial  []string            // what the first page loads
	pages    map[string][]string // what is loaded for a page, and was not before
	catalogs map[string]catalog  // the files of each language
}

// catalog is the files of a language: that of the first page, empty where it is built in, and those of other pages.
type catalog struct {
	first string
	pages []string
}

func measureWeight(_ context.Context, w *webRun) ([]report.Row, error) {
	locales, err := filepath.Glob(filepath.Join(w.console, "src", "locales", "*.json"))
	if err != nil {
		return nil, err
	}
	f, err := readFront(os.DirFS(filepath.Join(w.console, "..", "built", "console")), locales)
	if err != nil {
		return nil, err
	}
	first, lazy, catalog, all := report.AtMost(200, "kB"), report.AtMost(90, "kB"), report.AtMost(15, "kB"),
		report.AtMost(750, "kB")
	page, pageSize := f.heaviestPage()
	language, languageSize := f.heaviestCatalog()
	loaded, loadedSize := f.heaviestLoad()
	return []report.Row{
		report.SingleRow("console: code and styles of the first page, gzip", "kB", f.sum(f.initial), &first),
		report.SingleRow(fmt.Sprintf("… heaviest of %d further pages with all that it needs (%s)", len(f.pages), page), "kB",
			pageSize, &lazy),
		report.SingleRow(fmt.Sprintf("… heaviest texts of a page, with those of the first (%s)", language), "kB",
			languageSize, &catalog),
		report.SingleRow(fmt.Sprintf("… all that one person can load, in the heaviest language (%s)", loaded), "kB",
			loadedSize, &all),
		report.SingleRow("… all files, in all languages", "kB", f.sum(slices.Collect(maps.Keys(f.sizes))), nil),
	}, nil
}

var (
	initialFile = regexp.MustCompile(`(?:src|href)="/console/assets/([^"]+\.(?:js|css))"`)
	fileTable   = regexp.MustCompile(`m\.f=\[([^\]]*)\]`)
	lazyFile    = regexp.MustCompile("import\\([`\"]\\./([\\w.-]+\\.js)[`\"]\\),__vite__mapDeps\\(\\[([\\d,]*)\\]\\)")
	lazyAlone   = regexp.MustCompile("import\\([`\"]\\./([\\w.-]+\\.js)[`\"]\\)")
)

// readFront reads what Vite built. The files that a page needs stand in a first script, as numbers of a table.
func readFront(dir fs.FS, locales []string) (*front, error) {
	f := &front{sizes: map[string]float64{}, pages: map[string][]string{}, catalogs: map[string]catalog{}}
	names, err := fs.Glob(dir, "assets/*.*s*")
	if err != nil {
		return nil, err
	}
	var scripts string
	index, err := fs.ReadFile(dir, "index.html")
	if err != nil {
		return nil, err
	}
	for _, m := range initialFile.FindAllSubmatch(index, -1) {
		f.initial = append(f.initial, string(m[1]))
	}
	for _, name := range names {
		b, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		if ext := path.Ext(name); ext != ".js" && ext != ".css" {
			continue
		}
		base := path.Base(name)
		if f.sizes[base], err = gzipSize(b); err != nil {
			return nil, err
		}
		if slices.Contains(f.initial, base) {
			scripts += string(b)
		}
	}
	f.readPages(scripts, locales)
	if len(f.initial) == 0 || len(f.pages) == 0 {
		return nil, fmt.Errorf("the built front end has %d first files and %d pages", len(f.initial), len(f.pages))
	}
	return f, nil
}

func (f *front) readPages(scripts string, locales []string) {
	var table []string
	if m := fileTable.FindStringSubmatch(scripts); m != nil {
		for name := range strings.SplitSeq(m[1], ",") {
			table = append(table, strings.TrimPrefix(strings.Trim(name, "\"`"), "assets/"))
		}
	}
	for _, m := range lazyFile.FindAllStringSubmatch(scripts, -1) {
		var needed []string
		for number := range strings.SplitSeq(m[2], ",") {
			var i int
			if _, err := fmt.Sscan(number, &i); err == nil && i < len(table) && !slices.Contains(f.initial, table[i]) {
				needed = append(needed, table[i])
			}
		}
		f.pages[m[1]] = needed
	}
	for _, m := range lazyAlone.FindAllStringSubmatch(scripts, -1) {
		for _, file := range locales {
			language := strings.TrimSuffix(filepath.Base(file), ".json")
			if page, _, isOf := strings.Cut(m[1], "."+language+"-"); isOf {
				f.catalogs[language] = f.catalogs[language].with(page, m[1])
				delete(f.pages, m[1])
			}
		}
	}
}

func (c catalog) with(page, file string) catalog {
	if page == "core" {
		return catalog{file, c.pages}
	}
	return catalog{c.first, append(c.pages, file)}
}

func gzipSize(b []byte) (float64, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := z.Write(b); err != nil {
		return 0, err
	}
	err = z.Close()
	return float64(out.Len()) / 1000, err
}

func (f *front) sum(names []string) (kB float64) {
	for _, name := range names {
		kB += f.sizes[name]
	}
	return kB
}

func (f *front) heaviestPage() (page string, size float64) {
	for name, needed := range f.pages {
		if s := f.sum(needed); s > size {
			page, size = name, s
		}
	}
	if at := strings.LastIndex(page, "-"); at > 0 {
		page = page[:at]
	}
	return page, size
}

func (f *front) heaviestCatalog() (language string, size float64) {
	for name, c := range f.catalogs {
		for _, file := range c.pages {
			if s := f.sizes[c.first] + f.sizes[file]; s > size {
				language, size = name, s
			}
		}
	}
	return language, size
}

// heaviestLoad returns the size of the program with all texts of the language that has the heaviest.
func (f *front) heaviestLoad() (language string, size float64) {
	isOf := func(name, language string) bool { return strings.Contains(name, "."+language+"-") }
	for one := range f.catalogs {
		sum := 0.0
		for name, kB := range f.sizes {
			isOther := func(other string) bool { return other != one && isOf(name, other) }
			if !slices.ContainsFunc(slices.Collect(maps.Keys(f.catalogs)), isOther) {
				sum += kB
			}
		}
		if sum > size {
			language, size = one, sum
		}
	}
	return language, size
}
