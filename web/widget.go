//go:build !parley_noweb && !parley_packed

package web

import (
	"embed"
	"io/fs"
)

//go:embed all:built/widget
var widgetFiles embed.FS

// Widget holds what pages of others load and show: the loaders, and the chat with its files, whose names change with
// their content. manifest.json lists the files that the chat begins with.
var Widget fs.FS = widgetFiles
