package stream

// Delta is what one event of the stream adds. The decoder is written out by hand because it runs for every token of
// every answer, and because encoding/json would replace the halves of a code point that a provider split over two
// events.
type Delta struct {
	Text         []byte // appended to the text so far
	Calls        []ToolCallPart
	FinishReason []byte
	Usage        Usage
	ErrorJSON    []byte // the raw error, nil where there is none
	IsLast       bool   // nothing follows
}

type Usage struct{ Input, Output int }

// merge keeps what a later event says: providers count up.
func (u *Usage) merge(later Usage) {
	if later.Input > 0 {
		u.Input = later.Input
	}
	if later.Output > 0 {
		u.Output = later.Output
	}
}

// ToolCallPart is a fragment of a tool call; the index is -1 where the provider sends none.
type ToolCallPart struct {
	Index    int
	ID, Name []byte
	Input    []byte
}
