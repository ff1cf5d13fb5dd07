package office

import (
	"context"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"parley/internal/ingest/extract/draft"
)

// ReadDOC reads a Word file of 1997 to 2003 by its piece table ([MS-DOC]): the pieces of the text in their order, each
// in one or two bytes a character. Styles are not read: there are no headings.
func ReadDOC(_ context.Context, _ string, data []byte) (draft.Document, error) {
	c, err := OpenCompound(data)
	if err != nil {
		return draft.Document{}, err
	}
	main := c.readStream("WordDocument")
	if len(main) < fibSize || binary.LittleEndian.Uint16(main) != 0xa5ec {
		return draft.Document{}, draft.NewError("the file is of a version of Word that is too old; save it as DOCX")
	}
	flags := binary.LittleEndian.Uint16(main[0x0a:])
	if flags&0x0100 != 0 {
		return draft.Document{}, draft.ErrEncrypted
	}
	name := "0Table"
	if flags&0x0200 != 0 {
		name = "1Table"
	}
	pieces, err := pieceTable(main, c.readStream(name))
	if err != nil {
		return draft.Document{}, err
	}
	text := decodePieces(main, pieces)
	length := int64(binary.LittleEndian.Uint32(main[0x4c:])) // of the body; notes follow, then headers
	notes := int64(binary.LittleEndian.Uint32(main[0x50:]))
	body, rest := splitUTF16(text, length)
	foot, _ := splitUTF16(rest, notes)
	var d draft.Builder
	writeDocText(&d, body)
	writeDocText(&d, foot)
	return draft.Document{Text: d.Text()}, nil
}

const fibSize = 0x1aa

type docPiece struct {
	chars  int
	offset int
	isWide bool
}

func pieceTable(main, table []byte) ([]docPiece, error) {
	at, size := uint64(binary.LittleEndian.Uint32(main[0x1a2:])), uint64(binary.LittleEndian.Uint32(main[0x1a6:]))
	if at+size > uint64(len(table)) {
		return nil, draft.NewDamagedError("its piece table is missing", nil)
	}
	clx := table[at : at+size]
	for len(clx) > 3 && clx[0] == 1 { // formatting
		clx = clx[min(3+int(binary.LittleEndian.Uint16(clx[1:])), len(clx)):]
	}
	if len(clx) < 5 || clx[0] != 2 {
		return nil, draft.NewDamagedError("its piece table is missing", nil)
	}
	plc := clx[5:][:min(int64(binary.LittleEndian.Uint32(clx[1:])), int64(len(clx)-5))]
	n := (len(plc) - 4) / 12
	if n < 1 {
		return nil, nil
	}
	pieces := make([]docPiece, n)
	for i := range pieces {
		from, to := binary.LittleEndian.Uint32(plc[4*i:]), binary.LittleEndian.Uint32(plc[4*i+4:])
		fc := binary.LittleEndian.Uint32(plc[4*(n+1)+8*i+2:])
		p := docPiece{chars: int(min(max(int64(to)-int64(from), 0), int64(len(main)))), offset: int(fc & 0x3fffffff),
			isWide: fc&0x40000000 == 0}
		if !p.isWide {
			p.offset /= 2
		}
		pieces[i] = p
	}
	return pieces, nil
}

// decodePieces joins the pieces. A table that names the same bytes again and again is read until it has named all of
// them twice.
func decodePieces(main []byte, pieces []docPiece) []rune {
	var out []rune
	for _, p := range pieces {
		if p.offset >= len(main) || len(out) > 2*len(main) {
			continue
		}
		rest := main[p.offset:]
		if !p.isWide {
			for _, b := range rest[:min(p.chars, len(rest))] {
				out = append(out, charmap.Windows1252.DecodeByte(b))
			}
			continue
		}
		out = append(out, decodeUTF16(rest[:2*min(p.chars, len(rest)/2)])...)
	}
	return out
}

// splitUTF16 cuts after n characters of UTF-16, as Word counts.
func splitUTF16(text []rune, n int64) (head, rest []rune) {
	at := 0
	for ; at < len(text) && n > 0; at++ {
		n -= int64(utf16.RuneLen(text[at]))
	}
	return text[:at], text[at:]
}

// Signs that stand for something else in the text of a Word file.
const (
	signCell       = 0x07
	signField      = 0x13 // its instruction follows
	signFieldShown = 0x14 // what it shows follows
	signFieldEnd   = 0x15
)

// writeDocText makes paragraphs and rows of the text.
func writeDocText(d *draft.Builder, text []rune) {
	var b strings.Builder
	var rows *draft.Table
	var cells []string
	hidden, open := 0, 0
	endTable := func() {
		if rows != nil {
			rows.AddRow(cells)
			_ = rows.Finish()
			rows, cells = nil, nil
		}
	}
	for i, r := range text {
		switch {
		case r == signField:
			hidden, open = hidden+1, open+1
		case r == signFieldShown && open > 0:
			hidden = max(hidden-1, 0)
		case r == signFieldEnd && open > 0:
			open--
			hidden = min(hidden, open)
		case hidden > 0:
		case r == signCell:
			if rows == nil {
				rows = d.NewTable()
			}
			if b.Len() == 0 && i > 0 && text[i-1] == signCell { // two in a row end it
				rows.AddRow(cells)
				cells = nil
				continue
			}
			cells = append(cells, b.String())
			b.Reset()
		case r == '\r', r == '\f':
			if rows != nil && len(cells) > 0 { // a paragraph within a cell
				b.WriteByte(' ')
				continue
			}
			endTable()
			d.AddParagraph(b.String())
			b.Reset()
		case r == '\v':
			b.WriteByte('\n')
		case r == 0x1e:
			b.WriteByte('-')
		default:
			b.WriteRune(r)
		}
	}
	endTable()
	d.AddParagraph(b.String())
}
