package extract

import (
	"context"

	"golang.org/x/text/unicode/bidi"
)

// What tests play a child with.
var (
	WriteMessage   = writeMessage
	ReadMessage    = readMessage
	LimitMemory    = limitMemory
	LimitCPU       = limitCPU
	Confine        = confine
	Decode         = decode
	Tidy           = tidy
	InReadingOrder = inReadingOrder
)

// Lull waits until the child of a pool of one has ended for want of work.
func (p *Pool) Lull(ctx context.Context) error {
	c, err := p.take(ctx, "", 0)
	if err != nil {
		return err
	}
	p.give("", c)
	if c == nil { // it has been told already
		return nil
	}
	select {
	case <-c.gone:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// ReadCMapOf and FlattenOf are decoders that a fuzz test calls by themselves.
func ReadCMapOf(text string) int { return len(readCMap(text)) }

// FlattenOf gives the file that flatten makes.
func FlattenOf(data []byte) []byte {
	whole, _ := flatten(data)
	return whole
}

// RaceDetector reports that it takes part.
const RaceDetector = raceFactor > 1

// Parts of readers that tests call by themselves.
var (
	DecryptPDF  = decryptPDF
	SlowPDFHash = slowPDFHash
	StreamPage  = streamPage
)

// ReadLine reads a line of which each character is shown by itself.
func ReadLine(text string, left bool) string {
	var line []shown
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		line = append(line, shown{string(r), p.Class()})
	}
	return read(line, left)
}

// LineOrder gives the order in which files are read that have come, each as a letter for its owner and a digit for
// its size. The one that is being read longest ends first.
func LineOrder(slots int, files []string) (order []string) {
	l := line{free: make([]*child, slots), running: map[string]int{}, served: map[string]int{}}
	waiting := map[int]*waiter{}
	for i, f := range files {
		waiting[i] = l.join(f[:1], int(f[1]-'0'))
	}
	for begun := []*waiter{}; len(order) < len(files); {
		for i, f := range files {
			if w := waiting[i]; w != nil && len(w.slot) > 0 {
				order, begun = append(order, f), append(begun, w)
				delete(waiting, i)
			}
		}
		l.end(begun[0].owner, <-begun[0].slot)
		begun = begun[1:]
	}
	return order
}
