package office

import (
	"context"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"parley/internal/ingest/extract/draft"
)

// CompoundMagic begins a compound file: the file system in a file that Office used before 2007, and wraps encrypted
// files in.
const CompoundMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// compound is a compound file ([MS-CFB]). Every chain is followed for at most as many steps as there are sectors.
type compound struct {
	data       []byte
	sectorSize int // bytes
	fat        []uint32
	miniFAT    []uint32
	miniStream []byte // the stream that small streams are in
	miniCutoff uint64
	entries    map[string]compoundEntry
}

type compoundEntry struct {
	start uint32
	size  uint64
}

const (
	lastSector     = 0xfffffffa // from here on a number marks an end
	miniSectorSize = 64
	headerSize     = 512
)

func OpenCompound(data []byte) (*compound, error) {
	if len(data) < headerSize || string(data[:8]) != CompoundMagic {
		return nil, draft.NewDamagedError("it is not a compound file", nil)
	}
	shift := binary.LittleEndian.Uint16(data[30:])
	if shift != 9 && shift != 12 {
		return nil, draft.NewDamagedError("its sectors have an unknown size", nil)
	}
	c := &compound{data: data, sectorSize: 1 << shift, entries: map[string]compoundEntry{},
		miniCutoff: uint64(binary.LittleEndian.Uint32(data[56:]))}
	c.readFAT()
	c.miniFAT = readUint32s(c.readChain(binary.LittleEndian.Uint32(data[60:])))
	c.readDirectory(c.readChain(binary.LittleEndian.Uint32(data[48:])))
	return c, nil
}

// sectorAt returns sector n, short or empty if the file ends.
func (c *compound) sectorAt(n uint32) []byte {
	from := (int64(n) + 1) * int64(c.sectorSize)
	if n >= lastSector || from >= int64(len(c.data)) {
		return nil
	}
	return c.data[from:min(from+int64(c.sectorSize), int64(len(c.data)))]
}

func readUint32s(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return list
}

// readFAT gathers the allocation table from the sectors that the header and the chain behind it name.
func (c *compound) readFAT() {
	sectors := readUint32s(c.data[76:headerSize])
	next := binary.LittleEndian.Uint32(c.data[68:])
	for range len(c.data) / c.sectorSize {
		part := readUint32s(c.sectorAt(next))
		if len(part) < 2 {
			break
		}
		sectors = append(sectors, part[:len(part)-1]...)
		next = part[len(part)-1]
	}
	for _, n := range sectors {
		if len(c.fat) > len(c.data)/c.sectorSize+c.sectorSize {
			break
		}
		c.fat = append(c.fat, readUint32s(c.sectorAt(n))...)
	}
}

// readChain returns the bytes of the sectors that follow one another from start on.
func (c *compound) readChain(start uint32) []byte {
	var out []byte
	n := start
	for steps := 0; int64(n) < int64(len(c.fat)) && steps <= len(c.data)/c.sectorSize; steps++ {
		out = append(out, c.sectorAt(n)...)
		n = c.fat[n]
	}
	return out
}

func (c *compound) readDirectory(dir []byte) {
	for ; len(dir) >= 128; dir = dir[128:] {
		length := int(binary.LittleEndian.Uint16(dir[64:]))
		if length < 2 || length > 64 {
			continue
		}
		name := strings.ToLower(string(decodeUTF16(dir[:2*(length/2-1)])))
		e := compoundEntry{start: binary.LittleEndian.Uint32(dir[116:]), size: uint64(binary.LittleEndian.Uint32(dir[120:]))}
		switch dir[66] {
		case 2: // a stream
			c.entries[name] = e
		case 5: // the root
			c.miniStream = c.readChain(e.start)
		}
	}
}

// decodeUTF16 decodes little-endian UTF-16.
func decodeUTF16(b []byte) []rune {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return utf16.Decode(units)
}

func (c *compound) HasStream(name string) bool {
	_, ok := c.entries[strings.ToLower(name)]
	return ok
}

// readStream returns the bytes of a stream, fewer where the file is cut off.
func (c *compound) readStream(name string) []byte {
	e := c.entries[strings.ToLower(name)]
	if e.size >= c.miniCutoff {
		b := c.readChain(e.start)
		return b[:min(e.size, uint64(len(b)))]
	}
	var b []byte
	n := e.start
	for steps := 0; int64(n) < int64(len(c.miniFAT)) && steps <= len(c.miniStream)/miniSectorSize; steps++ {
		from := int(n) * miniSectorSize
		if from >= len(c.miniStream) {
			break
		}
		b = append(b, c.miniStream[from:min(from+miniSectorSize, len(c.miniStream))]...)
		n = c.miniFAT[n]
	}
	return b[:min(e.size, uint64(len(b)))]
}

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
