package widget

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sync"

	"parley/internal/httpapi"
	"parley/web"
)

const (
	builtFolder  = "built/widget"
	manifestName = "manifest.json"
)

// How long browsers keep files.
const (
	// loaderCaching lets a loader be old for five minutes, and be used for a day more while the browser asks for it again.
	loaderCaching    = "public, max-age=300, stale-while-revalidate=86400"
	immutableCaching = "public, max-age=31536000, immutable" // the name has a hash of the file
)

// loaderNames are the scripts that pages of others load by names which never change.
var loaderNames = map[string]bool{"embed.min.js": true, "center-stage-embed.min.js": true,
	"side-panel-embed.min.js": true, "search-embed.min.js": true}

// hashedName is the name of a file that changes with its content.
var hashedName = regexp.MustCompile(`-[A-Za-z0-9_-]{8}\.[a-z0-9]+$`)

// moduleName is the name of what a loader loads when its chat is first used. A browser that still has the loader of an
// earlier build asks for the module by its name there.
var moduleName = regexp.MustCompile(`^(window|center)-[A-Za-z0-9_-]{8}\.js$`)

// build is the widget as it was built.
type build struct {
	files   map[string]func() *httpapi.StaticFile // by their names
	modules map[string]func() *httpapi.StaticFile // those of loaders, by their names without the hash
	entry   map[string]string                     // the files that pages begin with, by what they are, such as chat.js
}

// loadBuild finds the files, once in a process. Each is read and compressed when it is first asked for. A build without
// the widget has none.
var loadBuild = sync.OnceValues(func() (*build, error) {
	b := &build{files: map[string]func() *httpapi.StaticFile{}, modules: map[string]func() *httpapi.StaticFile{},
		entry: map[string]string{}}
	names, err := fs.ReadDir(web.Widget, builtFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	for _, each := range names {
		err = errors.Join(err, b.add(each.Name()))
	}
	if err != nil {
		return nil, fmt.Errorf("read the widget: %w", err)
	}
	return b, nil
})

func (b *build) add(name string) error {
	place := path.Join(builtFolder, name)
	if name == manifestName {
		text, err := fs.ReadFile(web.Widget, place)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &b.entry)
	}
	contentType := contentTypes[path.Ext(name)]
	if contentType == "" {
		return fmt.Errorf("%s: the content type is not known", name)
	}
	b.files[name] = openFile(place, contentType, cachingOf(name))
	if module := moduleName.FindStringSubmatch(name); module != nil {
		b.modules[module[1]] = openFile(place, contentType, "no-cache")
	}
	return nil
}

// openFile returns what reads a file of the program, once, and compresses it.
func openFile(place, contentType, caching string) func() *httpapi.StaticFile {
	return sync.OnceValue(func() *httpapi.StaticFile {
		content, _ := fs.ReadFile(web.Widget, place) // the program holds it
		return httpapi.NewStaticFile(contentType, caching, content)
	})
}

// find returns what reads the file of a name; nil for none. The module of a loader is also found by the names that it
// had in other builds: browsers keep loaders for a while.
func (b *build) find(name string) func() *httpapi.StaticFile {
	if file := b.files[name]; file != nil {
		return file
	}
	if module := moduleName.FindStringSubmatch(name); module != nil {
		return b.modules[module[1]]
	}
	return nil
}

// contentTypes are those of the files that a build has.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

func cachingOf(name string) string {
	switch {
	case loaderNames[name]:
		return loaderCaching
	case hashedName.MatchString(name):
		return immutableCaching
	}
	return fileCaching
}

// entryFile returns the address of the script or the style that a page begins with; empty where the build has none. The
// help page may have its own.
func (b *build) entryFile(mode, extension string) string {
	name := b.entry["chat"+extension]
	if mode == modeHelp && b.entry["help.js"] != "" {
		name = b.entry["help"+extension]
	}
	if name == "" {
		return ""
	}
	return filesPath + name
}
