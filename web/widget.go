//go:build !parley_noweb

package web

import "embed"

// Widget holds what pages of others load and show: the loaders, and the chat with its files, whose names change with
// their content. manifest.json lists the files that the chat begins with.
//
//go:embed all:built/widget
var Widget embed.FS
