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

func (p pageContent) encoded() json.RawMessage {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // a string always encodes
	}
	return b
}

// titled puts the page's title above its headings, where they do not say it.
func (p pageContent) titled(pieces []Piece) []Piece {
	for i, piece := range pieces {
		switch {
		case p.Title == "" || strings.Contains(piece.Heading, p.Title) || piece.Heading != "" && strings.Contains(p.Title, piece.Heading):
		case piece.Heading == "":
			pieces[i].Heading = p.Title
		default:
			pieces[i].Heading = p.Title + " › " + piece.Heading
		}
	}
	return pieces
}
