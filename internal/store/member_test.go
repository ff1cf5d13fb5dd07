package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
)

// A search among members and invitations finds each of them once, however many pages it takes.
func TestMembersAndInvitationsAreSearched(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		const each = 210 // more than one batch
		until := testTime.Add(time.Hour)
		for i := range each {
			at := testTime.Add(time.Duration(i) * time.Second)
			name, email := fmt.Sprintf("Member %d", i), fmt.Sprintf("m%d@shop.example", i)
			if i%70 == 0 {
				name, email = fmt.Sprintf("\u00d6zlem %d", i), fmt.Sprintf("special-%d@shop.example", i)
			}
			fx.must(fx.AddMember(fx, &parley.Membership{AccountID: fx.Account.ID, Role: parley.RoleAgent, CreatedAt: at,
				User: parley.User{ID: parley.UserID(parley.NewUUID()), Email: email, Name: name, CreatedAt: at}}))
			fx.must(fx.CreateInvite(fx, &parley.Invite{ID: parley.InviteID(parley.NewUUID()), Kind: parley.LinkInvitation,
				AccountID: fx.Account.ID, Email: "new-" + email, Role: parley.RoleAgent, Hash: "h" + email, InvitedBy: "operator",
				CreatedAt: at, ExpiresAt: until}))
		}
		search := func(text string, limit int) (members, invitations, pages int) {
			fx.Helper()
			for ask := (parley.PageRequest{Limit: limit}); ; pages++ {
				page, err := fx.AccountMembers(fx, fx.Account.ID, "", text, ask)
				fx.must(err)
				members += len(page.Items)
				if ask.After = page.Next; page.Next == nil {
					break
				}
			}
			for ask := (parley.PageRequest{Limit: limit}); ; {
				page, err := fx.InvitationPage(fx, fx.Account.ID, text, testTime, ask)
				fx.must(err)
				invitations += len(page.Items)
				if ask.After = page.Next; page.Next == nil {
					return members, invitations, pages + 1
				}
			}
		}
		for text, want := range map[string][3]int{
			"":              {each, each, 3},
			"\u00f6ZLEM":    {3, 0, 1},
			"SPECIAL-":      {3, 3, 1},
			"shop.example":  {each, each, 3},
			"nobody":        {0, 0, 1},
			"special-140@s": {1, 1, 1},
		} {
			members, invitations, pages := search(text, 100)
			if got := [3]int{members, invitations, pages}; got != want {
				t.Errorf("%q: members, invitations and pages %v, want %v", text, got, want)
			}
		}
		if members, invitations, pages := search("special-", 2); members != 3 || invitations != 3 || pages != 2 {
			t.Errorf("two at a time: %d members, %d invitations, %d pages", members, invitations, pages)
		}
		other := fx.createAccount("Other")
		if page, err := fx.AccountMembers(fx, other.ID, "", "special", parley.PageRequest{Limit: 10}); err != nil ||
			len(page.Items) != 0 {
			t.Errorf("another account: %+v %v", page, err)
		}
	})
}
