package admin

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Empty is the input of a verb that needs none.
type Empty struct{}

// NewAccount asks for an account with its first key.
type NewAccount struct {
	Name    string `json:"name"`
	Plan    string `json:"plan"`
	Credits *int64 `json:"credits,omitempty"` // whole credits a month; nil takes the plan's
	HIPAA   bool   `json:"hipaa"`
}

// CreatedAccount names the new account and shows its key, this once.
type CreatedAccount struct {
	AccountID string `json:"accountId"`
	APIKey    string `json:"apiKey"`
}

// AccountChange changes what is set of an account.
type AccountChange struct {
	ID      string  `json:"accountId"`
	Plan    *string `json:"plan,omitempty"`
	Credits Grant   `json:"credits,omitzero"`
	HIPAA   *bool   `json:"hipaa,omitempty"`
}

// Account is an account as the operator sees it.
type Account struct {
	ID          string    `json:"accountId"`
	Name        string    `json:"name"`
	Plan        string    `json:"plan"`
	PlanUnknown bool      `json:"planUnknown,omitempty"` // the installation has no such plan
	Credits     *float64  `json:"credits"`               // a month; null is unlimited, or what an unknown plan grants
	CreditsUsed float64   `json:"creditsUsed"`
	HIPAA       bool      `json:"hipaa"`
	CreatedAt   time.Time `json:"createdAt"`
}

// The verbs on accounts.
var (
	CreateAccount = Command[NewAccount, CreatedAccount]{"account.create", true, (*Service).createAccount}
	UpdateAccount = Command[AccountChange, Account]{"account.update", false, (*Service).updateAccount}
	ListAccounts  = Command[Empty, []Account]{"account.list", false, (*Service).listAccounts}
)

func (d *Service) createAccount(ctx context.Context, in NewAccount) (CreatedAccount, error) {
	a, key, err := d.Accounts.CreateAccount(ctx, access.NewAccount{Name: in.Name, Plan: in.Plan, Credits: grantCredits(in.Credits), HIPAA: in.HIPAA})
	if err != nil {
		return CreatedAccount{}, err
	}
	return CreatedAccount{string(a.ID), key}, nil
}

// Grant is a number of credits a month: absent stays as it is, null takes the plan's, a number is the account's own.
type Grant struct { //nolint:recvcheck // a value writes itself, only a pointer can read itself
	Set bool
	Own *int64
}

// IsZero reports absence.
func (g Grant) IsZero() bool { return !g.Set }

// MarshalJSON writes the number, or null.
func (g Grant) MarshalJSON() ([]byte, error) { return json.Marshal(g.Own) }

// UnmarshalJSON reads a number or null.
func (g *Grant) UnmarshalJSON(text []byte) error {
	g.Set = true
	return json.Unmarshal(text, &g.Own)
}

func (g Grant) accessGrant() *access.CreditGrant {
	if !g.Set {
		return nil
	}
	return &access.CreditGrant{Credits: grantCredits(g.Own)}
}

// grantCredits turns whole credits into thousandths; more than a million million are as good as that many.
func grantCredits(whole *int64) *parley.Credits {
	if whole == nil {
		return nil
	}
	c := parley.Credits(min(*whole, 1e12)) * parley.Credit
	return &c
}

func (d *Service) updateAccount(ctx context.Context, in AccountChange) (Account, error) {
	a, err := d.Accounts.UpdateAccount(ctx, parley.AccountID(in.ID), access.AccountChange{Plan: in.Plan, Credits: in.Credits.accessGrant(), HIPAA: in.HIPAA})
	if err != nil {
		return Account{}, err
	}
	d.applyChange()
	return d.newAccount(ctx, a)
}

func (d *Service) listAccounts(ctx context.Context, _ Empty) ([]Account, error) {
	found, err := d.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Account, len(found))
	for i := range found {
		if list[i], err = d.newAccount(ctx, &found[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (d *Service) newAccount(ctx context.Context, a *parley.Account) (Account, error) {
	used, _, err := d.DB.AccountCreditUsage(ctx, a.ID, store.MonthOf(d.Now()))
	out := Account{ID: string(a.ID), Name: a.Name, Plan: a.Plan, CreditsUsed: used.Float(), HIPAA: a.HIPAA, CreatedAt: a.CreatedAt}
	_, known := d.Accounts.Plans.Plan(a.Plan)
	out.PlanUnknown = !known
	if credits := d.monthlyCredits(a); credits != nil {
		n := credits.Float()
		out.Credits = &n
	}
	return out, err
}

// monthlyCredits returns what the account may use in a month: its own number, else its plan's; nil is unlimited.
func (d *Service) monthlyCredits(a *parley.Account) *parley.Credits {
	if a.Credits != nil {
		return a.Credits
	}
	plan, _ := d.Accounts.Plans.Plan(a.Plan)
	return plan.CreditsPerMonth
}
