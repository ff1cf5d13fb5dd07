//go:build parley_noweb

package web

import (
	"embed"
	"io/fs"
)

// Console holds nothing: the build tag parley_noweb leaves the console out.
var Console fs.FS = embed.FS{}
