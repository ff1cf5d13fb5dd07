package chatapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/internal/testkit/scripted"
)

// found is a conversation that a search has found.
type found struct{ ID, Excerpt string }

func (f *chatFixture) search(token, text string) (list []found) {
	f.Helper()
	f.into(f.do(http.MethodGet, f.agent+"/conversations?query="+url.QueryEscape(text), token, nil), &list)
	return list
}

func idsOf(list []found) (ids []string) {
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestVisitorSearchesItsOwnConversations looks for words of messages of both sides, whatever their case and accents.
func TestVisitorSearchesItsOwnConversations(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token, stranger := f.newVisitor(), f.newVisitor()
		ask := func(token, question, answer string) string {
			f.model.AddScript(scripted.Text(answer), scripted.Stop())
			return f.send(token, fields{"message": question}).conversation
		}
		shoes := ask(token, "Welche Größe haben die Schuhe?", "Alle Größen von **36** bis 44.")
		parcel := ask(token, "Where is my parcel?", strings.Repeat("It takes a while. ", 20)+"It left on Monday, "+
			strings.Repeat("and it is on its way. ", 20))
		tokyo := ask(token, "東京の店は何時に開きますか", "10時です。")
		ask(stranger, "Where is my secret parcel?", "It left on Monday.")
		for text, want := range map[string][]string{
			"GROSSE": {shoes}, "grösse 44": {shoes}, "parcel": {parcel}, "monday where": {parcel}, "東京の店": {tokyo},
			"e": {parcel, shoes}, "secret": nil, "parcel 44": nil, "%": nil, "_": nil, `"`: nil,
		} {
			if got := idsOf(f.search(token, text)); !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
		if got := len(f.search(token, "  ")); got != 3 {
			t.Errorf("without words: %d conversations, want all 3", got)
		}
		f.wantCode(f.do(http.MethodGet, f.agent+"/conversations?query="+strings.Repeat("x", 201), token, nil),
			"VALIDATION_INVALID_BODY")
	})
}

// TestExcerptShowsWhatWasFound shows the place, without the signs between letters, and not the whole message.
func TestExcerptShowsWhatWasFound(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		token := f.newVisitor()
		f.model.AddScript(scripted.Text(strings.Repeat("Ä long way. ", 30)+"It left\n on **Mon**day. "+
			strings.Repeat("More of it. ", 30)), scripted.Stop())
		f.send(token, fields{"message": "Where is it?"})
		list := f.search(token, "monday")
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		got := list[0].Excerpt
		if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") || len([]rune(got)) > 162 ||
			!strings.Contains(got, "It left on Monday. More") {
			t.Errorf("%q", got)
		}
		if got := f.search(token, "where")[0].Excerpt; got != "Where is it?" {
			t.Errorf("%q", got)
		}
	})
}

// TestSearchLeavesOutWhatIsNotShown finds nothing in answers that another one has replaced, and what the same user
// wrote in another browser.
func TestSearchLeavesOutWhatIsNotShown(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		laptop := f.newVisitor()
		f.model.AddScript(scripted.Text("On Monday."), scripted.Stop())
		first := f.send(laptop, fields{"message": "When?"})
		f.model.AddScript(scripted.Text("On Tuesday."), scripted.Stop())
		f.stream(f.open(http.MethodPost, f.agent+"/retry", laptop, fields{"conversationId": first.conversation,
			"messageId": first.message})).readUntil(toTheEnd)
		if len(f.search(laptop, "monday")) != 0 || len(f.search(laptop, "tuesday")) != 1 {
			t.Error("the answer that was replaced is found, or the present one is not")
		}
		f.identified(laptop, "anna")
		if phone := f.identified(f.newVisitor(), "anna"); len(f.search(phone, "tuesday")) != 1 {
			t.Error("another browser of the same user does not find it")
		}
	})
}
