//go:build !parley_nomanual

package docs

import "embed"

// Manual holds the pages of the manual as manual/*.md.
//
//go:embed manual/*.md
var Manual embed.FS
