//go:build parley_nomanual

package docs

import "embed"

// Manual holds nothing: the build tag parley_nomanual leaves the manual out.
var Manual embed.FS
