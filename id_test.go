package parley_test

import (
	"strings"
	"testing"

	"parley"
)

// A derived id follows from the id and the salt, has the form of the id and sorts by time as it does.
func TestDeriveID(t *testing.T) {
	earlier, later := string(parley.NewMessageID()), "msg_zzzzzzzzzzzzzzzzzzzzz-"
	ids := []string{parley.NewUUID(), parley.NewTimedUUID(), string(parley.NewAgentID()), earlier, later}
	for _, id := range ids {
		derived := parley.DeriveID([]byte("salt"), id)
		if derived == id || derived != parley.DeriveID([]byte("salt"), id) || !parley.IsID(derived) ||
			len(derived) != len(id) || derived == parley.DeriveID([]byte("other"), id) {
			t.Errorf("%s becomes %s", id, derived)
		}
		if parley.IsUUID(id) && derived[14] != id[14] {
			t.Errorf("%s becomes %s, of another version", id, derived)
		}
	}
	if timed := ids[1]; !strings.HasPrefix(parley.DeriveID([]byte("salt"), timed), timed[:13]) {
		t.Error("the time is another one")
	}
	if derived := parley.DeriveID([]byte("salt"), earlier); derived[:12] != earlier[:12] {
		t.Errorf("%s becomes %s: the time is another one", earlier, derived)
	}
}

// Ids of messages may be those of another service.
func TestIsMessageID(t *testing.T) {
	for _, s := range []string{string(parley.NewMessageID()), "msg-1", "3f2a", "Msg.of_somebody-else"} {
		if !parley.IsMessageID(s) {
			t.Errorf("%q is taken for no id of a message", s)
		}
	}
	for _, s := range []string{"", "abc", "-abc", "_abc", ".abc", "a b c", "msg-1\n", "<script>",
		strings.Repeat("a", 65)} {
		if parley.IsMessageID(s) {
			t.Errorf("%q is taken for the id of a message", s)
		}
	}
}

func TestIsID(t *testing.T) {
	for _, s := range []string{"", "x", "msg_x", strings.ToUpper(parley.NewUUID()), parley.NewUUID() + "\n",
		"abcdefghijklmnopqrs\nt", "msg_zzzzzzzzzzzzzzzzzzzzzz", "../../../../etc/passwd"} {
		if parley.IsID(s) {
			t.Errorf("%q is taken for an id", s)
		}
	}
}
