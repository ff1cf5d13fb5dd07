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

// inboxTest is a dataReceiver with what it passed on.
type inboxTest struct {
	*dataReceiver
	time  time.Time
	texts []string
}

func newInboxTest() *inboxTest {
	l := &inboxTest{time: time.UnixMilli(1_000_000)}
	l.dataReceiver = newDataReceiver("user-1", func() time.Time { return l.time })
	note := func(kind string) func(string) { return func(text string) { l.texts = append(l.texts, kind+text) } }
	l.onText, l.onRefuse, l.onBye = note(""), note("refused: "), func() { l.texts = append(l.texts, "bye") }
	return l
}

func (i *inboxTest) receive(t *testing.T, from string, list ...*livekit.DataPacket) {
	t.Helper()
	for _, p := range list {
		p.ParticipantIdentity = from
		b, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		i.handlePacket(b)
	}
}

func (i *inboxTest) requireTexts(t *testing.T, texts ...string) {
	t.Helper()
	if !slices.Equal(i.texts, texts) {
		t.Errorf("got %.300q, not %q", i.texts, texts)
	}
	i.texts = nil
}

func streamHeader(id, topic string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{
		StreamHeader: &livekit.DataStream_Header{StreamId: id,
			Topic:         topic,
			ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}}}}
}

func streamChunk(id string, n uint64, text string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: id,
		ChunkIndex: n, Content: []byte(text)}}}
}

func streamTrailer(id string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{
		StreamTrailer: &livekit.DataStream_Trailer{StreamId: id, Attributes: map[string]string{"a": "b"}}}}
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
		"in pieces": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0,
			"Hello, "), streamChunk("1", 1, "agent."), streamTrailer("1")}, []string{"Hello, agent."}},
		"two at once": {"user-1",
			[]*livekit.DataPacket{streamHeader("1", TopicText), streamHeader("2", TopicText), streamChunk("1", 0, "a"),
				streamChunk("2", 0, "b"), streamTrailer("2"), streamTrailer("1")}, []string{"b", "a"}},
		"a piece twice": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0, "a"),
			streamChunk("1", 0, "a"), streamTrailer("1")}, []string{"a"}},
		"a piece is missing": {"user-1",
			[]*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 1, "b"), streamTrailer("1")}, nil},
		"empty": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText), streamTrailer("1")}, nil},
		"no text": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText),
			streamChunk("1", 0, "\xff\xfe"), streamTrailer("1")}, nil},
		"no beginning": {"user-1", []*livekit.DataPacket{streamChunk("1", 0, "a"), streamTrailer("1")}, nil},
		"ended twice": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0, "a"),
			streamTrailer("1"), streamTrailer("1")}, []string{"a"}},
		"begun twice": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0, "a"),
			streamHeader("1", TopicText), streamChunk("1", 0, "b"), streamTrailer("1")}, []string{"b"}},
		"somebody else": {"user-2", []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0, "a"),
			streamTrailer("1"), userData(TopicBye)}, nil},
		"a forged transcript": {"user-1", []*livekit.DataPacket{streamHeader("1", TopicTranscript),
			streamChunk("1", 0, "a"), streamTrailer("1")}, nil},
		"other data": {"user-1", []*livekit.DataPacket{userData("x"), {},
			{Value: &livekit.DataPacket_RpcRequest{RpcRequest: &livekit.RpcRequest{Id: "1"}}}}, nil},
		"the farewell": {"user-1", []*livekit.DataPacket{userData(TopicBye)}, []string{"bye"}},
		"an empty packet": {"user-1",
			[]*livekit.DataPacket{{Value: &livekit.DataPacket_StreamHeader{}},
				{Value: &livekit.DataPacket_StreamChunk{}}, {Value: &livekit.DataPacket_StreamTrailer{}},
				{Value: &livekit.DataPacket_User{}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newInboxTest()
			l.handlePacket([]byte("no packet"))
			l.receive(t, c.from, c.list...)
			l.requireTexts(t, c.want...)
		})
	}
}

// Whatever a user sends, what is buffered is bounded in number, length and age.
func TestBufferedMessagesAreBounded(t *testing.T) {
	l := newInboxTest()
	for n := range 1000 {
		id := fmt.Sprint(n)
		l.receive(t, "user-1", streamHeader(id, TopicText))
		for i := range uint64(5) {
			l.receive(t, "user-1", streamChunk(id, i, strings.Repeat("x", 15_000)))
		}
		buffered := 0
		for _, s := range l.streams {
			buffered += cap(s.text)
		}
		if len(l.streams) > maxStreams || buffered > 2*maxStreams*maxTextBytes {
			t.Fatalf("%d messages, %d bytes", len(l.streams), buffered)
		}
	}
	l.receive(t, "user-1", streamTrailer("999"), streamTrailer("998"), streamTrailer("0"))
	l.requireTexts(t, "refused: The message is too long.", "refused: The message is too long.")

	l.receive(t, "user-1", streamHeader("slow", TopicText), streamChunk("slow", 0, "a"))
	l.time = l.time.Add(maxTextAge)
	l.receive(t, "user-1", streamTrailer("slow"))
	l.requireTexts(t)
}

func TestTooManyMessages(t *testing.T) {
	l := newInboxTest()
	for n := range 100 {
		id := fmt.Sprint(n)
		l.receive(t, "user-1", streamHeader(id, TopicText), streamChunk(id, 0, "m"), streamTrailer(id))
	}
	want := slices.Repeat([]string{"m"}, textBurst)
	refused := "refused: These are too many messages at once: the last ones were not read."
	l.requireTexts(t, append(want, refused, refused)...)
	l.time = l.time.Add(textInterval)
	for _, id := range []string{"a", "b"} {
		l.receive(t, "user-1", streamHeader(id, TopicText), streamChunk(id, 0, id), streamTrailer(id))
	}
	l.requireTexts(t, "a")
}

func FuzzInbox(f *testing.F) {
	for _, p := range []*livekit.DataPacket{streamHeader("1", TopicText), streamChunk("1", 0, "a"), streamTrailer("1"),
		userData(TopicBye)} {
		p.ParticipantIdentity = "user-1"
		b, err := proto.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	l := newInboxTest()
	f.Fuzz(func(t *testing.T, packet []byte) {
		if l.handlePacket(packet); len(l.streams) > maxStreams {
			t.Fatal("too many are open")
		}
	})
}
