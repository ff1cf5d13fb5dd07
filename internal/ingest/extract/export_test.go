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
	DecodeText     = decodeText
	NormalizeText  = normalizeText
	ToReadingOrder = toReadingOrder
)

// WaitUntilIdle waits until the child of a pool of one has ended for want of work.
func (p *Pool) WaitUntilIdle(ctx context.Context) error {
	c, err := p.takeSlot(ctx, "", 0)
	if err != nil {
		return err
	}
	p.releaseSlot("", c)
	if c == nil { // it has been told already
		return nil
	}
	select {
	case <-c.exited:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// CountCMapCodes and RebuildPDF are decoders that a fuzz test calls by themselves.
func CountCMapCodes(text string) int { return len(readCMap(text)) }

// RebuildPDF returns the file that flatten makes.
func RebuildPDF(data []byte) []byte {
	whole, _ := rebuildPDF(data)
	return whole
}

// HasRaceDetector reports that it takes part.
const HasRaceDetector = raceFactor > 1

// Parts of readers that tests call by themselves.
var (
	DecryptPDF       = decryptPDF
	PDFHashRevision6 = pdfHashRevision6
	StreamPage       = streamPage
)

// ReadVisualLine reads a line of which each character is shown by itself.
func ReadVisualLine(text string, left bool) string {
	var line []visualItem
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		line = append(line, visualItem{string(r), p.Class()})
	}
	return logicalText(line, left)
}

// ReadOrder returns the order in which files are read that have come, each as a letter for its owner and a digit for
// its size. The one that is being read longest ends first.
func ReadOrder(slots int, files []string) (order []string) {
	l := slotQueue{freeSlots: make([]*child, slots), runningByOwner: map[string]int{}, lastTurnByOwner: map[string]int{}}
	waiting := map[int]*waiter{}
	for i, f := range files {
		waiting[i] = l.enqueue(f[:1], int(f[1]-'0'))
	}
	for begun := []*waiter{}; len(order) < len(files); {
		for i, f := range files {
			if w := waiting[i]; w != nil && len(w.slot) > 0 {
				order, begun = append(order, f), append(begun, w)
				delete(waiting, i)
			}
		}
		l.release(begun[0].owner, <-begun[0].slot)
		begun = begun[1:]
	}
	return order
}
