// Package docs hands out the operator's manual, which is also what the demo's agent has read.
package docs

import "embed"

// Measured holds the pages that the manual refers to for figures. The demo's agent does not read them.
//
//go:embed quality.md performance.md
var Measured embed.FS
