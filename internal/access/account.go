package access

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Accounts changes accounts, keys and members for the operator. Each change is recorded in the account's audit chain.
type Accounts struct {
	DB    *store.DB
	Plans *Plans
	Now   func() time.Time
	Actor string // for the audit chain; empty for "operator"

	KeepOwners bool          // owners can neither be made nor changed nor removed
	KeepGrants bool          // plan and credits stay as they are where there are several accounts
	KeepWaysIn bool          // an owner who can sign in stays in every account
	HasSSO     bool          // the server has single sign-on
	Providers  *SSOProviders // of accounts; nil where they can have none
	HasUsedSSO bool          // the actor has signed in by it

	HasPasskeys    bool // the console has passkeys
	HasUsedPasskey bool // the actor has shown one in their session
}

// NewAccount describes an account to create.
type NewAccount struct {
	Name    string          // 1 to 100 characters
	Plan    string          // empty for DefaultPlan
	Credits *parley.Credits // monthly grant in place of the plan's
	HIPAA   bool
}

// CreateAccount creates an account with a first key of full access, and returns that key, which cannot be read again.
// Fails with VALIDATION_INVALID_BODY and every fault in the details.
func (ac *Accounts) CreateAccount(ctx context.Context, n NewAccount) (*parley.Account, string, error) {
	a, err := ac.Plans.newAccount(n)
	if err != nil {
		return nil, "", err
	}
	a.CreatedAt = ac.Now()
	key, record := ac.newKey(a.ID, "first key")
	err = ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateAccount(ctx, a); err != nil {
			return err
		}
		if err := ac.audit(ctx, tx, a.ID, "account.create", string(a.ID), accountDetails(a)); err != nil {
			return err
		}
		return ac.storeKey(ctx, tx, record)
	})
	return a, key, err
}

// CheckNewAccount fails as CreateAccount would, without a database.
func (p *Plans) CheckNewAccount(n NewAccount) error {
	_, err := p.newAccount(n)
	return err
}

func (p *Plans) newAccount(n NewAccount) (*parley.Account, error) {
	if n.Plan == "" {
		n.Plan = DefaultPlan
		if _, ok := p.Plan(DefaultPlan); !ok {
			return nil, parley.Invalid("plan", "must be named: this installation has no plan "+DefaultPlan+
				", which an account gets when none is named; there are "+strings.Join(p.names, ", "))
		}
	}
	a := &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: parley.TrimName(n.Name), Plan: n.Plan,
		Credits: n.Credits, HIPAA: n.HIPAA}
	return a, p.checkAccount(a)
}

// AccountChange describes the change of an account; nil fields stay.
type AccountChange struct {
	Name    *string
	Plan    *string
	Credits *CreditGrant
	HIPAA   *bool

	ViewersSeePersonalData *bool

	TimeZone *string // IANA name; empty for UTC

	OnlySSO     *bool
	ExemptOwner *parley.UserID

	AdminsNeedPasskey *bool
	NoPasswords       *bool
}

// CreditGrant sets the monthly credits of an account.
type CreditGrant struct {
	Credits *parley.Credits // the account's own; nil for its plan's
}

// UpdateAccount changes an account. Fails with ACCOUNT_NOT_FOUND or VALIDATION_INVALID_BODY, or with
// AUTH_INSUFFICIENT_PERMISSIONS where plan and credits are the operator's.
func (ac *Accounts) UpdateAccount(ctx context.Context, id parley.AccountID,
	c AccountChange) (changed *parley.Account, err error) {
	err = ac.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := ac.checkGrants(ctx, tx, c); err != nil {
			return err
		}
		err := tx.UpdateAccount(ctx, id, ac.Now(), func(a *parley.Account) error {
			c.apply(a)
			changed = a
			if err := cmp.Or(ac.Plans.checkAccount(a), ac.checkPasskeyRule(c)); err != nil {
				return err
			}
			if err := ac.checkPasswordRule(ctx, tx, a, c); err != nil || c.OnlySSO == nil && c.ExemptOwner == nil {
				return err
			}
			return ac.checkSSO(ctx, tx, a)
		})
		if err != nil {
			return err
		}
		return ac.audit(ctx, tx, id, "account.update", string(id), accountDetails(changed))
	})
	return changed, err
}

// checkGrants fails where an owner changes what one of several accounts of a server may use.
func (ac *Accounts) checkGrants(ctx context.Context, tx *store.DB, c AccountChange) error {
	if !ac.KeepGrants || c.Plan == nil && c.Credits == nil {
		return nil
	}
	accounts, err := tx.OldestAccounts(ctx, 2)
	if err == nil && len(accounts) > 1 {
		err = parley.NewErrorf(parley.CodeInsufficientScope,
			"Plan and credits are set by the operator of the server, which has several accounts.")
	}
	return err
}

func (c AccountChange) apply(a *parley.Account) {
	if c.Name != nil {
		a.Name = parley.TrimName(*c.Name)
	}
	if c.ViewersSeePersonalData != nil {
		a.ViewersSeePersonalData = *c.ViewersSeePersonalData
	}
	if c.TimeZone != nil {
		a.TimeZone = *c.TimeZone
	}
	if c.ExemptOwner != nil {
		a.ExemptOwner = *c.ExemptOwner
	}
	if c.OnlySSO != nil {
		a.OnlySSO = *c.OnlySSO
	}
	if !a.OnlySSO {
		a.ExemptOwner = ""
	}
	if c.AdminsNeedPasskey != nil {
		a.AdminsNeedPasskey = *c.AdminsNeedPasskey
	}
	if c.NoPasswords != nil {
		a.NoPasswords = *c.NoPasswords
	}
	if c.Plan != nil {
		a.Plan = *c.Plan
	}
	if c.Credits != nil {
		a.Credits = c.Credits.Credits
	}
	if c.HIPAA != nil {
		a.HIPAA = *c.HIPAA
	}
}

// checkSSO fails where single sign-on alone would keep people out of an account: there is none, no owner is exempt who
// can sign in without it, or whoever wants it has not tried it.
func (ac *Accounts) checkSSO(ctx context.Context, tx *store.DB, a *parley.Account) error {
	if !a.OnlySSO {
		return nil
	}
	own, err := tx.FindSSOProvider(ctx, a.ID)
	if err != nil {
		return err
	}
	if !ac.HasSSO && (own == nil || own.TestedAt == nil) {
		return parley.Invalid("onlySingleSignOn", "needs single sign-on that was tried, of the account or of the server")
	}
	m, err := tx.Member(ctx, a.ID, a.ExemptOwner, parley.CodeMemberNotFound)
	if parley.IsCode(err, parley.CodeMemberNotFound) || err == nil && m.Role != parley.RoleOwner {
		return parley.Invalid("exemptOwner", "must be an owner of the account")
	}
	if err != nil {
		return err
	}
	canSignIn, err := tx.CanSignInAlone(ctx, a.ExemptOwner)
	switch {
	case err != nil:
		return err
	case !canSignIn:
		return parley.Invalid("exemptOwner", "must have a password or a passkey")
	case ac.Actor != "" && !ac.HasUsedSSO && ac.Actor != UserActor(a.ExemptOwner):
		return parley.Invalid("onlySingleSignOn", "needs you to sign in by single sign-on first, so that you stay in")
	}
	return nil
}

// checkPasskeyRule fails where owners and admins are to need a passkey, and the console has none, or whoever wants it
// has not shown one of their own: an owner who has stays in.
func (ac *Accounts) checkPasskeyRule(c AccountChange) error {
	switch {
	case c.AdminsNeedPasskey == nil || !*c.AdminsNeedPasskey:
		return nil
	case !ac.HasPasskeys:
		return parley.Invalid("adminsNeedPasskey", "needs a console by HTTPS at an address with a name")
	case ac.Actor != "" && !ac.HasUsedPasskey && !ac.HasUsedSSO:
		return parley.Invalid("adminsNeedPasskey", "needs you to show a passkey first, so that you stay in")
	}
	return nil
}

// checkPasswordRule fails where an account is to be entered without passwords, and the console has no passkeys, whoever
// wants it would not get in, or no owner would. It is asked again when nobody is exempt from it any more.
func (ac *Accounts) checkPasswordRule(ctx context.Context, tx *store.DB, a *parley.Account, c AccountChange) error {
	isNew := c.NoPasswords != nil && a.NoPasswords
	switch {
	case !isNew && (!a.NoPasswords || c.OnlySSO == nil && c.ExemptOwner == nil):
		return nil
	case isNew && !ac.HasPasskeys:
		return parley.Invalid("noPasswords", "needs a console by HTTPS at an address with a name")
	case isNew && ac.Actor != "" && !ac.HasUsedPasskey && !ac.HasUsedSSO && ac.Actor != UserActor(a.ExemptOwner):
		return parley.Invalid("noPasswords", "needs you to show a passkey first, so that you stay in")
	}
	isLeft, err := tx.HasOwnerWithoutPassword(ctx, a.ID)
	if err == nil && !isLeft {
		err = parley.Invalid("noPasswords", "needs an owner with a passkey or single sign-on")
	}
	return err
}

// List returns all accounts, oldest first.
func (ac *Accounts) List(ctx context.Context) ([]parley.Account, error) { return ac.DB.Accounts(ctx) }

// maxZoneBytes is the longest name of a time zone.
const maxZoneBytes = 64

func (p *Plans) checkAccount(a *parley.Account) error {
	details := map[string]string{}
	checkName(details, a.Name)
	if !slices.Contains(p.names, a.Plan) {
		details["plan"] = "must be one of: " + strings.Join(p.names, ", ")
	}
	if a.Credits != nil && *a.Credits < 0 {
		details["credits"] = "must not be negative"
	}
	if _, err := time.LoadLocation(a.TimeZone); err != nil || a.TimeZone == "Local" || len(a.TimeZone) > maxZoneBytes {
		details["timeZone"] = "must be an IANA time zone, such as Europe/Berlin, or empty for UTC"
	}
	return parley.InvalidFields(details)
}

func checkName(details map[string]string, name string) {
	if fault := nameFault(name); fault != "" {
		details["name"] = fault
	}
}

// nameFault returns what is wrong with a name, or the empty text.
func nameFault(name string) string {
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 {
		return "must have 1 to 100 characters"
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "must not hold control characters"
	}
	if !parley.IsVisible(name) {
		return "must have a character that can be seen"
	}
	return ""
}

func accountDetails(a *parley.Account) map[string]any {
	facts := map[string]any{"name": a.Name, "plan": a.Plan, "hipaa": a.HIPAA}
	if a.ViewersSeePersonalData {
		facts["viewersSeePersonalData"] = true
	}
	if a.OnlySSO {
		facts["onlySingleSignOn"], facts["exemptOwner"] = true, a.ExemptOwner
	}
	if a.AdminsNeedPasskey {
		facts["adminsNeedPasskey"] = true
	}
	if a.NoPasswords {
		facts["noPasswords"] = true
	}
	if a.Credits != nil {
		facts["credits"] = a.Credits.Float()
	}
	return facts
}

func (ac *Accounts) audit(ctx context.Context, tx *store.DB, account parley.AccountID, action, subject string,
	facts map[string]any) error {
	return tx.AppendAuditEvent(ctx, account, ac.Now(), cmp.Or(ac.Actor, "operator"), action, subject, facts)
}
