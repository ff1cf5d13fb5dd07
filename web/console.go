//go:build !parley_noweb

package web

import "embed"

// Console holds the built console: index.html, and the files below assets, whose names change with their content.
//
//go:embed all:built/console
var Console embed.FS
