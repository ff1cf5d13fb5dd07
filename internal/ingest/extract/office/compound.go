package office

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

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

// sectorAt returns sector n, short or empty where the file ends.
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
