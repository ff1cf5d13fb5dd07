//go:build !parley_noweb && !parley_packed

package web

import (
	"embed"
	"io/fs"
)

//go:embed all:built/console
var consoleFiles embed.FS

// Console holds the built console: index.html, and the files below assets, whose names change with their content.
var Console fs.FS = consoleFiles
