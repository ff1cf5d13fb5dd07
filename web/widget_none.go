//go:build parley_noweb

package web

import (
	"embed"
	"io/fs"
)

// Widget holds nothing: the build tag parley_noweb leaves the widget out.
var Widget fs.FS = embed.FS{}
