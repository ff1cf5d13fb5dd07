package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

// Assignee says who a ticket is to be assigned to. The zero one leaves it to the team's rules.
type Assignee struct {
	set   bool
	id    parley.UserID
	email string
}

// Auto leaves it to the routing rules and the team's strategy.
func Auto() Assignee { return Assignee{} }

// Nobody leaves the ticket unassigned.
func Nobody() Assignee { return Assignee{set: true} }

// To is the member with the id.
func To(id parley.UserID) Assignee { return Assignee{set: true, id: lower(id)} }

// ToEmail is the member with the e-mail address, whatever its case.
func ToEmail(address string) Assignee { return Assignee{set: true, email: address} }

// find gives the id of the member that is meant, who stays one until the transaction ends, or an empty one for nobody. Fails with TICKET_TEAM_MEMBER_NOT_FOUND when it is no
// member of the account.
func (a Assignee) find(ctx context.Context, tx *store.DB, account parley.AccountID) (parley.UserID, error) {
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
	_, err := tx.KeepMember(ctx, account, user, parley.CodeTicketMember)
	return user, err
}
