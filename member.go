package parley

import "time"

// Member is a person who has signed in and acts in one account.
type Member struct {
	User        UserID
	Account     AccountID
	Role        Role
	SteppedUpAt time.Time // when they last showed again who they are; zero if never

	ViewersSeePersonalData bool // of customers, in the account

	HasUsedSSO     bool // to sign in this time
	HasUsedPasskey bool // likewise, or to show again who they are
}
