//go:build parley_noweb

package web

import "embed"

// Console holds nothing: the build tag parley_noweb leaves the console out.
var Console embed.FS
