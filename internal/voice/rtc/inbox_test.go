package rtc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// letters is an inbox with what came of it.
type letters struct {
	*inbox
	time time.Time
	got  []string
}

func newLetters() *letters {
	l := &letters{time: time.UnixMilli(1_000_000)}
	l.inbox = newInbox("user-1", func() time.Time { return l.time })
	note := func(kind string) func(string) { return func(text string) { l.got = append(l.got, kind+text) } }
	l.said, l.refuse, l.bye = note(""), note("refused: "), func() { l.got = append(l.got, "bye") }
	return l
}

func (l *letters) come(t *testing.T, from string, list ...*livekit.DataPacket) {
	t.Helper()
	for _, p := range list {
		p.ParticipantIdentity = from
		b, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		l.take(b)
	}
}

func (l *letters) want(t *testing.T, texts ...string) {
	t.Helper()
	if !slices.Equal(l.got, texts) {
		t.Errorf("got %.300q, not %q", l.got, texts)
	}
	l.got = nil
}

func head(id, topic string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{StreamId: id, Topic: topic,
		ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}}}}
}

func piece(id string, n uint64, text string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: id, ChunkIndex: n, Content: []byte(text)}}}
}

func tail(id string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{StreamId: id, Attributes: map[string]string{"a": "b"}}}}
}

func userData(topic string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Topic: &topic}}}
}

func TestTypedMessages(t *testing.T) {
	for name, c := range map[string]struct {
		from string
		list []*livekit.DataPacket
		want []string
	}{
		"in pieces":           {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "Hello, "), piece("1", 1, "agent."), tail("1")}, []string{"Hello, agent."}},
		"two at once":         {"user-1", []*livekit.DataPacket{head("1", TopicText), head("2", TopicText), piece("1", 0, "a"), piece("2", 0, "b"), tail("2"), tail("1")}, []string{"b", "a"}},
		"a piece twice":       {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "a"), piece("1", 0, "a"), tail("1")}, []string{"a"}},
		"a piece is missing":  {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 1, "b"), tail("1")}, nil},
		"empty":               {"user-1", []*livekit.DataPacket{head("1", TopicText), tail("1")}, nil},
		"no text":             {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "\xff\xfe"), tail("1")}, nil},
		"no beginning":        {"user-1", []*livekit.DataPacket{piece("1", 0, "a"), tail("1")}, nil},
		"ended twice":         {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "a"), tail("1"), tail("1")}, []string{"a"}},
		"begun twice":         {"user-1", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "a"), head("1", TopicText), piece("1", 0, "b"), tail("1")}, []string{"b"}},
		"somebody else":       {"user-2", []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "a"), tail("1"), userData(TopicBye)}, nil},
		"a forged transcript": {"user-1", []*livekit.DataPacket{head("1", TopicTranscript), piece("1", 0, "a"), tail("1")}, nil},
		"other data":          {"user-1", []*livekit.DataPacket{userData("x"), {}, {Value: &livekit.DataPacket_RpcRequest{RpcRequest: &livekit.RpcRequest{Id: "1"}}}}, nil},
		"the farewell":        {"user-1", []*livekit.DataPacket{userData(TopicBye)}, []string{"bye"}},
		"an empty packet":     {"user-1", []*livekit.DataPacket{{Value: &livekit.DataPacket_StreamHeader{}}, {Value: &livekit.DataPacket_StreamChunk{}}, {Value: &livekit.DataPacket_StreamTrailer{}}, {Value: &livekit.DataPacket_User{}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLetters()
			l.take([]byte("no packet"))
			l.come(t, c.from, c.list...)
			l.want(t, c.want...)
		})
	}
}

// Whatever a user sends, what is kept of it is bounded in number, length and age.
func TestWhatIsKeptOfMessagesIsBounded(t *testing.T) {
	l := newLetters()
	for n := range 1000 {
		id := fmt.Sprint(n)
		l.come(t, "user-1", head(id, TopicText))
		for i := range uint64(5) {
			l.come(t, "user-1", piece(id, i, strings.Repeat("x", 15_000)))
		}
		kept := 0
		for _, s := range l.streams {
			kept += cap(s.text)
		}
		if len(l.streams) > mostStreams || kept > 2*mostStreams*longestText {
			t.Fatalf("%d messages, %d bytes", len(l.streams), kept)
		}
	}
	l.come(t, "user-1", tail("999"), tail("998"), tail("0"))
	l.want(t, "refused: The message is too long.", "refused: The message is too long.")

	l.come(t, "user-1", head("slow", TopicText), piece("slow", 0, "a"))
	l.time = l.time.Add(oldestText)
	l.come(t, "user-1", tail("slow"))
	l.want(t)
}

func TestTooManyMessages(t *testing.T) {
	l := newLetters()
	for n := range 100 {
		id := fmt.Sprint(n)
		l.come(t, "user-1", head(id, TopicText), piece(id, 0, "m"), tail(id))
	}
	want := slices.Repeat([]string{"m"}, textBurst)
	refused := "refused: These are too many messages at once: the last ones were not read."
	l.want(t, append(want, refused, refused)...)
	l.time = l.time.Add(textEvery)
	for _, id := range []string{"a", "b"} {
		l.come(t, "user-1", head(id, TopicText), piece(id, 0, id), tail(id))
	}
	l.want(t, "a")
}

func FuzzInbox(f *testing.F) {
	for _, p := range []*livekit.DataPacket{head("1", TopicText), piece("1", 0, "a"), tail("1"), userData(TopicBye)} {
		p.ParticipantIdentity = "user-1"
		b, err := proto.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	l := newLetters()
	f.Fuzz(func(t *testing.T, packet []byte) {
		if l.take(packet); len(l.streams) > mostStreams {
			t.Fatal("too many are open")
		}
	})
}
