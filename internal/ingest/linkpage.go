package ingest

import (
	"encoding/json"
	"strings"
)

// pageContent is the content of a version of an individual page, beside its text: such a source is called by its address (facts
// 2.8f), and its passages would not say what they are of.
type pageContent struct {
	Title string `json:"title,omitempty"`
}

func (p pageContent) encode() json.RawMessage {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // a string always encodes
	}
	return b
}

// withTitle puts the page's title above a path of headings that does not say it.
func (p pageContent) withTitle(path string) string {
	if strings.Contains(path, p.Title) || path != "" && strings.Contains(p.Title, path) {
		return path
	}
	return joinTitles(p.Title, path)
}
