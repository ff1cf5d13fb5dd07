package console

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// eventKinds lists the kinds of events by their constants.
func eventKinds(t *testing.T) (list []parley.EventKind) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../event.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			kind, _ := strconv.Unquote(text.Value)
			list = append(list, parley.EventKind(kind))
		}
		return true
	})
	return list
}

// TestGoldenLiveKinds writes down what each kind of event is in the stream, and who sees it.
func TestGoldenLiveKinds(t *testing.T) {
	var table strings.Builder
	kinds := eventKinds(t)
	for _, kind := range kinds {
		seen, known := liveKinds[kind]
		if !known {
			t.Errorf("%s has no row", kind)
		}
		fmt.Fprintf(&table, "%-24s %-13s %-11s", kind, seen.name, seen.change)
		for _, role := range parley.Roles() {
			if access.May(role, livePermissions[seen.name]) {
				table.WriteString(" " + string(role))
			}
		}
		table.WriteString("\n")
	}
	if len(kinds) != len(liveKinds) {
		t.Errorf("%d kinds of events, %d rows", len(kinds), len(liveKinds))
	}
	if *updateGolden {
		if err := os.WriteFile("testdata/live_kinds.txt", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/live_kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("the kinds differ (-golden +table):\n%s", diff)
	}
}

func TestLiveEventsNameThingsAlone(t *testing.T) {
	for _, c := range []struct {
		event store.Event
		role  parley.Role
		want  liveEvent
	}{
		{store.Event{Kind: parley.EventAgentDeleted, Subject: "a"}, parley.RoleViewer,
			liveEvent{name: "agent", ID: "a", Change: "deleted"}},
		{store.Event{Kind: parley.EventMessageCreated, AgentID: "a", ConversationID: "c", Subject: "m",
			Payload: `{"text":"secret"}`}, parley.RoleViewer,
			liveEvent{name: "message", ID: "m", AgentID: "a", ConversationID: "c", Change: "created"}},
		{store.Event{Kind: parley.EventConversationDeleted, AgentID: "a", Subject: "c"}, parley.RoleAgent,
			liveEvent{name: "conversation", ID: "c", AgentID: "a", Change: "deleted"}},
		{store.Event{Kind: parley.EventVoiceEnded, AgentID: "a", ConversationID: "c", Subject: "v"}, parley.RoleAgent,
			liveEvent{name: "conversation", ID: "c", AgentID: "a", Change: "voice"}},
		{store.Event{Kind: parley.EventSourceTrained, AgentID: "a", Subject: "page", Payload: `{"parent":"site"}`},
			parley.RoleAgent, liveEvent{name: "training", ID: "site", AgentID: "a", Change: "progress"}},
		{store.Event{Kind: parley.EventMemberAdded, Subject: "u"}, parley.RoleAgent, liveEvent{}},
		{store.Event{Kind: parley.EventMemberAdded, Subject: "u"}, parley.RoleAdmin,
			liveEvent{name: "member", ID: "u", Change: "added"}},
		{store.Event{Kind: parley.EventSavedViewAdded, Subject: "v", Payload: `{"userId":"lee"}`}, parley.RoleOwner,
			liveEvent{}},
		{store.Event{Kind: parley.EventSavedViewAdded, Subject: "v", Payload: `{"userId":"kim"}`}, parley.RoleAgent,
			liveEvent{name: "savedView", ID: "v", Change: "added"}},
		{store.Event{Kind: parley.EventSavedViewRemoved, Subject: "v", Payload: `{}`}, parley.RoleViewer,
			liveEvent{name: "savedView", ID: "v", Change: "removed"}},
		{store.Event{Kind: parley.EventReadMarkChanged, Subject: "c", Payload: `{"userId":"lee"}`}, parley.RoleOwner,
			liveEvent{}},
		{store.Event{Kind: parley.EventReadMarkChanged, Subject: "c", Payload: `{"userId":"kim"}`}, parley.RoleAgent,
			liveEvent{name: "readMark", ID: "c", Change: "changed"}},
		{store.Event{Kind: "unknown", Subject: "x"}, parley.RoleOwner, liveEvent{}},
		{store.Event{Kind: parley.EventAgentCreated, Subject: "x"}, "stranger", liveEvent{}},
	} {
		got, isVisible := newLiveEvent(c.event, "kim", c.role)
		if got != c.want || isVisible != (c.want.name != "") {
			t.Errorf("%s for %s: %+v, want %+v", c.event.Kind, c.role, got, c.want)
		}
	}
}

func newTestLive() *Live { return NewLive(LiveConfig{Now: time.Now}) }

// newTestStream returns a stream without a connection.
func newTestStream(t *testing.T, l *Live, user parley.UserID, role parley.Role) *liveStream {
	t.Helper()
	s := newLiveStream(l, parley.Member{User: user, Account: "acc", Role: role}, "ses")
	if err := l.add(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTrainingIsToldTwiceASecond checks that of the progress of each source at most two events a second are sent, and
// that the last one is.
func TestTrainingIsToldTwiceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStream(t, newTestLive(), "u", parley.RoleOwner)
		sent := map[string]int{}
		look := func(list ...liveEvent) {
			for _, e := range s.limitTraining(list) {
				sent[e.name+e.ID]++
			}
		}
		ended := time.After(9995 * time.Millisecond)
		for isOn := true; isOn; {
			look(liveEvent{name: liveTraining, ID: "a"}, liveEvent{name: liveSource, ID: "b"})
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ended:
				isOn = false
			}
		}
		if sent["training"+"a"] != 20 || sent["source"+"b"] != 1000 {
			t.Errorf("sent %v", sent)
		}
		if len(s.training) != 1 {
			t.Error("the last event is not held back")
		}
		for len(s.training) > 0 {
			<-s.woken
			look()
		}
		if sent["training"+"a"] != 21 || len(s.training) != 0 {
			t.Errorf("the last event is lost: %v", sent)
		}
	})
}

// TestPresenceEnds checks who is told of whom, and that whoever says nothing for 20 seconds has left.
func TestPresenceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLive()
		kim := newTestStream(t, l, "kim", parley.RoleAgent)
		lee := newTestStream(t, l, "lee", parley.RoleViewer)
		setState := func(state string) {
			l.setPresence(kim.member, presenceKey{"kim", liveConversation, "c"},
				presence{"a", state, time.Now().Add(presenceLifetime)})
		}
		states := func(s *liveStream) (list string) {
			for _, e := range s.takePresence() {
				list += string(e.UserID) + " " + e.State + ";"
			}
			return list
		}
		for _, step := range []struct{ state, want string }{
			{"looking", "kim looking;"}, {"looking", ""}, {"typing", "kim typing;"}, {"gone", "kim gone;"}, {"gone", ""},
			{"looking", "kim looking;"},
		} {
			setState(step.state)
			if got := states(lee); got != step.want {
				t.Errorf("after %s: %q, want %q", step.state, got, step.want)
			}
		}
		late := newTestStream(t, l, "max", parley.RoleOwner)
		if got := states(late); got != "kim looking;" {
			t.Errorf("whoever comes later is told %q", got)
		}
		time.Sleep(19 * time.Second)
		l.forgetAbsent()
		setState("looking")
		time.Sleep(19 * time.Second)
		l.forgetAbsent()
		if got := states(lee); got != "" {
			t.Errorf("told too early: %q", got)
		}
		time.Sleep(time.Second)
		l.forgetAbsent()
		if got := states(lee) + states(late); got != "kim gone;kim gone;" || len(l.presence) != 0 {
			t.Errorf("told %q, %v", got, l.presence)
		}
		if got := states(kim); got != "" {
			t.Errorf("kim is told of kim: %q", got)
		}
	})
}

// TestPresenceIsBounded checks that nobody can fill the server's memory.
func TestPresenceIsBounded(t *testing.T) {
	l := newTestLive()
	for i := range 10 * maxPresences {
		l.setPresence(parley.Member{User: "u", Account: "acc", Role: parley.RoleOwner},
			presenceKey{"u", liveAgent, fmt.Sprint(i)}, presence{"", stateLooking, time.Now().Add(time.Hour)})
	}
	if n := len(l.presence["acc"]); n != maxPresences {
		t.Errorf("%d things", n)
	}
}

func TestStreamsOfAPersonAreBounded(t *testing.T) {
	l := newTestLive()
	var open []*liveStream
	for range maxLiveStreams {
		open = append(open, newTestStream(t, l, "u", parley.RoleOwner))
	}
	newTestStream(t, l, "other", parley.RoleOwner)
	err := l.add(newLiveStream(l, parley.Member{User: "u", Account: "acc2", Role: parley.RoleOwner}, "ses"))
	if !parley.IsCode(err, parley.CodeTooManyRequests) || parley.AsError(err).RetryAfter == 0 {
		t.Errorf("one more: %v", err)
	}
	l.remove(open[0])
	l.remove(open[0])
	newTestStream(t, l, "u", parley.RoleOwner)
	if n := len(slices.Collect(maps.Keys(l.streams["acc"]))); n != maxLiveStreams+1 {
		t.Errorf("%d streams", n)
	}
	l.Close()
	if err := l.add(open[0]); !parley.IsCode(err, parley.CodeUnderMaintenance) {
		t.Errorf("after the end: %v", err)
	}
}
