// Package docs hands out the operator's manual, which is also what the demo's agent has read.
package docs

import "embed"

// Manual holds the pages of the manual as manual/*.md.
//
//go:embed manual/*.md
var Manual embed.FS
