package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

// Assignee says who a ticket is to be assigned to. The zero one leaves it to the team's rules.
type Assignee struct {
	isSet bool
	id    parley.UserID
	email string
}

// AutoAssign leaves it to the routing rules and the team's strategy.
func AutoAssign() Assignee { return Assignee{} }

// Unassigned leaves the ticket unassigned.
func Unassigned() Assignee { return Assignee{isSet: true} }

// AssignTo is the member with the id.
func AssignTo(id parley.UserID) Assignee { return Assignee{isSet: true, id: lowerID(id)} }

// AssignToEmail is the member with the e-mail address, whatever its case.
func AssignToEmail(address string) Assignee { return Assignee{isSet: true, email: address} }

// resolve returns the id of the member that is meant, who stays one until the transaction ends, or an empty one for nobody. Fails with TICKET_TEAM_MEMBER_NOT_FOUND when it is no
// member of the account.
func (a Assignee) resolve(ctx context.Context, tx *store.DB, account parley.AccountID) (parley.UserID, error) {
	user := a.id
	switch {
	case a.email != "":
		m, err := tx.MemberByEmail(ctx, account, a.email, parley.CodeTicketMember)
		if err != nil {
			return "", err
		}
		user = m.User.ID
	case user == "":
		return "", nil
	}
	_, err := tx.ShareLockMember(ctx, account, user, parley.CodeTicketMember)
	return user, err
}
