//go:build parley_noweb

package web

import "embed"

// Widget holds nothing: the build tag parley_noweb leaves the widget out.
var Widget embed.FS
