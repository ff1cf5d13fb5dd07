package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/store"
)

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

// AccountChange says what an account is to be; what is absent stays.
type AccountChange struct {
	ID      string             `path:"accountId" json:"-"`
	Plan    *string            `json:"plan,omitempty"`
	Credits httpapi.Opt[int64] `json:"credits,omitzero" nullable:"true"` // a month; null takes the plan's
	HIPAA   *bool              `json:"hipaa,omitempty"`
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

func (s *Service) createAccount(ctx context.Context, in NewAccount) (CreatedAccount, error) {
	a, key, err := s.Accounts.CreateAccount(ctx, access.NewAccount{
		Name:    in.Name,
		Plan:    in.Plan,
		Credits: grantCredits(in.Credits),
		HIPAA:   in.HIPAA,
	})
	if err != nil {
		return CreatedAccount{}, err
	}
	return CreatedAccount{string(a.ID), key}, nil
}

// grantCredits converts whole credits, of which more than 10^12 count as 10^12.
func grantCredits(whole *int64) *parley.Credits {
	if whole == nil {
		return nil
	}
	c := parley.Credits(min(*whole, 1e12)) * parley.Credit
	return &c
}

func (s *Service) updateAccount(ctx context.Context, in AccountChange) (Account, error) {
	change := access.AccountChange{Plan: in.Plan, HIPAA: in.HIPAA}
	if in.Credits.Present {
		change.Credits = &access.CreditGrant{Credits: grantCredits(in.Credits.Ptr())}
	}
	a, err := s.Accounts.UpdateAccount(ctx, parley.AccountID(in.ID), change)
	if err != nil {
		return Account{}, err
	}
	s.applyChange()
	return s.newAccount(ctx, a)
}

func (s *Service) listAccounts(ctx context.Context, _ NoInput) ([]Account, error) {
	found, err := s.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Account, len(found))
	for i := range found {
		if list[i], err = s.newAccount(ctx, &found[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Service) newAccount(ctx context.Context, a *parley.Account) (Account, error) {
	used, _, err := s.DB.AccountCreditUsage(ctx, a.ID, store.MonthOf(s.Now()))
	_, known := s.Accounts.Plans.Plan(a.Plan)
	out := Account{
		ID:          string(a.ID),
		Name:        a.Name,
		Plan:        a.Plan,
		PlanUnknown: !known,
		CreditsUsed: used.Float(),
		HIPAA:       a.HIPAA,
		CreatedAt:   a.CreatedAt,
	}
	if credits := s.monthlyCredits(a); credits != nil {
		n := credits.Float()
		out.Credits = &n
	}
	return out, err
}

// monthlyCredits returns what the account may use in a month: its own number, else its plan's; nil is unlimited.
func (s *Service) monthlyCredits(a *parley.Account) *parley.Credits {
	if a.Credits != nil {
		return a.Credits
	}
	plan, _ := s.Accounts.Plans.Plan(a.Plan)
	return plan.CreditsPerMonth
}
