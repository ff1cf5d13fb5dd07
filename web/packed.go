//go:build parley_packed && !parley_noweb

package web

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"strings"
	"sync"
)

// A release holds the front end in archives, which "go run web/pack.go" makes of what is built: a third of its size.
// Each file is read once by whoever serves it.
var (
	//go:embed console.zip
	consoleArchive string
	//go:embed widget.zip
	widgetArchive string
)

// Console holds the built console: index.html, and the files below assets, whose names change with their content.
var Console fs.FS = newPacked(consoleArchive)

// Widget holds what pages of others load and show: the loaders, and the chat with its files, whose names change with
// their content. manifest.json lists the files that the chat begins with.
var Widget fs.FS = newPacked(widgetArchive)

// packed are the files of an archive, which is opened when the first of them is.
type packed struct {
	openArchive func() (*zip.Reader, error)
}

func newPacked(archive string) packed {
	return packed{sync.OnceValues(func() (*zip.Reader, error) {
		return zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	})}
}

// Open opens a file or a folder.
func (p packed) Open(name string) (fs.File, error) {
	files, err := p.openArchive()
	if err != nil {
		return nil, err
	}
	return files.Open(name)
}
