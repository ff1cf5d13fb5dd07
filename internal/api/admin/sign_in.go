package admin

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

// NewInvitation asks for a link by which somebody becomes a member of an account.
type NewInvitation struct {
	AccountID string `path:"accountId" json:"-"`
	Email     string `json:"email"`
	Role      string `json:"role"`
	Mail      bool   `json:"mail,omitempty"`
}

// NewLink asks for a link by which a member sets a password.
type NewLink struct {
	MemberRef
	Mail bool `query:"mail" json:"-"`
}

// SignInLink is a link by which somebody signs in once. It is shown only here, or mailed.
type SignInLink struct {
	Email     string    `json:"email"`
	Link      string    `json:"link"` // empty of one that is mailed
	Mailed    bool      `json:"mailed"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewPassword sets the password of a member.
type NewPassword struct {
	MemberRef
	Password string `json:"password"`
}

// ChangedPassword names the member.
type ChangedPassword struct {
	UserID string `json:"userId"`
	Email  string `json:"email"`
}

func (s *Service) inviteMember(ctx context.Context, in NewInvitation) (SignInLink, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return SignInLink{}, err
	}
	link, err := s.Users.Invite(ctx, access.NewInvitation{
		AccountID: parley.AccountID(in.AccountID),
		Email:     in.Email,
		Role:      parley.Role(in.Role),
		By:        s.actor(),
		Mail:      in.Mail,
	})
	return newSignInLink(link, err)
}

func (s *Service) linkMember(ctx context.Context, in NewLink) (SignInLink, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return SignInLink{}, err
	}
	link, err := s.Users.ResetLink(ctx, access.ResetRequest{MemberRef: in.accessRef(), By: s.actor(), Mail: in.Mail})
	return newSignInLink(link, err)
}

func newSignInLink(link *access.IssuedLink, err error) (SignInLink, error) {
	if err != nil {
		return SignInLink{}, err
	}
	return SignInLink{link.Email, link.URL, link.IsMailed, link.ExpiresAt}, nil
}

func (s *Service) setMemberPassword(ctx context.Context, in NewPassword) (ChangedPassword, error) {
	m, err := s.Users.SetMemberPassword(ctx, in.accessRef(), in.Password)
	if err != nil {
		return ChangedPassword{}, err
	}
	return ChangedPassword{string(m.User.ID), m.User.Email}, nil
}

// Invitation is an invitation that nobody has answered yet.
type Invitation struct {
	ID        string    `json:"invitationId"`
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	InvitedBy string    `json:"invitedBy"` // e-mail address of a member, or operator
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// InvitationQuery names the account whose invitations are listed.
type InvitationQuery struct {
	AccountID string `path:"accountId" json:"-"`
}

// InvitationRef names an invitation.
type InvitationRef struct {
	AccountID    string `path:"accountId" json:"-"`
	InvitationID string `path:"invitationId" json:"-"`
}

// InvitationLink asks for a new link of an invitation.
type InvitationLink struct {
	InvitationRef
	Mail bool `query:"mail" json:"-"`
}

func (s *Service) listInvitations(ctx context.Context, in InvitationQuery) ([]Invitation, error) {
	account := parley.AccountID(in.AccountID)
	if err := s.checkAccount(account); err != nil {
		return nil, err
	}
	found, err := s.Users.Invitations(ctx, account)
	if err != nil {
		return nil, err
	}
	return s.newInvitations(ctx, found)
}

// InvitationPageQuery asks for a page of the invitations into an account.
type InvitationPageQuery struct {
	AccountID string `path:"accountId" json:"-"`
	Query     string `query:"query" max:"200" doc:"A part of the e-mail address."`
	Paging
}

func (s *Service) listInvitationPage(ctx context.Context, in InvitationPageQuery) (Page[Invitation], error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return Page[Invitation]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.Invite], error) {
		return s.DB.InvitationPage(ctx, account, strings.TrimSpace(in.Query), s.Now(), p)
	}
	convert := func(list []parley.Invite) ([]Invitation, error) { return s.newInvitations(ctx, list) }
	return readPage(s, in.Paging, []string{"invitations", in.Query}, read, convert)
}

// newInvitations converts invitations, with who has made them.
func (s *Service) newInvitations(ctx context.Context, found []parley.Invite) ([]Invitation, error) {
	actors := make([]string, len(found))
	for i := range found {
		actors[i] = found[i].InvitedBy
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, func(i *parley.Invite) Invitation {
		return Invitation{
			ID:        string(i.ID),
			Email:     i.Email,
			Role:      string(i.Role),
			InvitedBy: people.emailOf(i.InvitedBy),
			CreatedAt: i.CreatedAt,
			ExpiresAt: i.ExpiresAt,
		}
	}), nil
}

func (s *Service) invitationRef(in InvitationRef) (access.InvitationRef, error) {
	account := parley.AccountID(in.AccountID)
	return access.InvitationRef{AccountID: account, ID: parley.InviteID(in.InvitationID), By: s.actor()},
		s.checkAccount(account)
}

func (s *Service) renewInvitation(ctx context.Context, in InvitationLink) (SignInLink, error) {
	ref, err := s.invitationRef(in.InvitationRef)
	if err != nil {
		return SignInLink{}, err
	}
	ref.Mail = in.Mail
	link, err := s.Users.RenewInvitation(ctx, ref)
	return newSignInLink(link, err)
}

func (s *Service) withdrawInvitation(ctx context.Context, in InvitationRef) (Invitation, error) {
	ref, err := s.invitationRef(in)
	if err != nil {
		return Invitation{}, err
	}
	i, err := s.Users.WithdrawInvitation(ctx, ref)
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{ID: string(i.ID), Email: i.Email, Role: string(i.Role), CreatedAt: i.CreatedAt,
		ExpiresAt: i.ExpiresAt}, nil
}

// SingleSignOnRef names the account whose provider it is.
type SingleSignOnRef struct {
	AccountID string `path:"accountId" json:"-"`
}

// SingleSignOnSettings are what is set of the provider of an account.
type SingleSignOnSettings struct {
	AccountID    string  `path:"accountId" json:"-"`
	Issuer       string  `json:"issuer" max:"2000"`
	ClientID     string  `json:"clientId" max:"500"`
	ClientSecret *string `json:"clientSecret,omitempty" max:"8000"`
	Name         string  `json:"name,omitempty" max:"100" doc:"For people; by default the host of the issuer."`
	JoinRole     string  `json:"joinRole,omitempty" max:"20"`
}

// FieldDocs returns the docs that are too long for tags.
func (SingleSignOnSettings) FieldDocs() map[string]string {
	return map[string]string{
		"clientSecret": "No answer ever holds it. A missing one stays while issuer and client do; an empty one removes it.",
		"joinRole":     "Role with which people of the domains join by themselves; empty if they do not.",
	}
}

// NewSignInDomain names a domain of e-mail addresses.
type NewSignInDomain struct {
	AccountID string `path:"accountId" json:"-"`
	Domain    string `json:"domain" max:"200"`
}

// SignInDomainRef names a domain of an account.
type SignInDomainRef struct {
	AccountID string `path:"accountId" json:"-"`
	Domain    string `path:"domain" json:"-"`
}

// SingleSignOn is how an account signs people in by a provider of its own.
type SingleSignOn struct {
	Provider    *SingleSignOnProvider `json:"provider" doc:"Null without one."`
	Domains     []SignInDomain        `json:"domains"`
	RedirectURL string                `json:"redirectUrl" doc:"What the provider must be told to send people back to."`
	CanStore    bool                  `json:"canKeepSecrets" doc:"Whether the server has a key by which it seals secrets."`
}

// SingleSignOnProvider is the provider of an account, without its secret.
type SingleSignOnProvider struct {
	Issuer    string     `json:"issuer"`
	ClientID  string     `json:"clientId"`
	HasSecret bool       `json:"hasSecret"`
	Name      string     `json:"name"`
	JoinRole  string     `json:"joinRole"`
	TestedAt  *time.Time `json:"testedAt" doc:"When an owner came back from it; until then nobody signs in by it."`
}

// SignInDomain is a domain that an account names.
type SignInDomain struct {
	Domain      string     `json:"domain"`
	RecordName  string     `json:"recordName" doc:"Of the TXT record that proves it."`
	RecordValue string     `json:"recordValue"`
	ProvedAt    *time.Time `json:"provedAt" doc:"Until then nobody of it signs in by the provider."`
	ByOperator  bool       `json:"byOperator" doc:"It is proved by the word of the server's operator, not by the record."`
}

// SingleSignOnOutcome is what a provider said when it was asked.
type SingleSignOnOutcome struct {
	Works bool   `json:"works"`
	Error string `json:"error,omitempty"`
}

func (s *Service) getSingleSignOn(ctx context.Context, in SingleSignOnRef) (SingleSignOn, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SingleSignOn{}, err
	}
	provider, err := s.DB.FindSSOProvider(ctx, account)
	if err != nil {
		return SingleSignOn{}, err
	}
	domains, err := s.DB.SSODomains(ctx, account)
	out := SingleSignOn{Domains: httpapi.ConvertList(domains, newSignInDomain)}
	if p := s.Accounts.Providers; p != nil {
		out.RedirectURL, out.CanStore = p.CallbackOf(account), p.Vault.HasKey()
	}
	if provider != nil {
		out.Provider = &SingleSignOnProvider{Issuer: provider.Issuer, ClientID: provider.ClientID, Name: provider.Name,
			HasSecret: provider.SealedSecret != "", JoinRole: string(provider.JoinRole), TestedAt: provider.TestedAt}
	}
	return out, err
}

func newSignInDomain(d *parley.SSODomain) SignInDomain {
	name, text := access.DomainRecord(d)
	return SignInDomain{Domain: d.Domain, RecordName: name, RecordValue: text, ProvedAt: d.ProvedAt,
		ByOperator: d.ByOperator}
}

// changeSingleSignOn changes something of an account's provider, and returns how it is then.
func (s *Service) changeSingleSignOn(ctx context.Context, id string,
	change func(account parley.AccountID) error) (SingleSignOn, error) {
	account, err := s.findAccount(ctx, id)
	if err != nil {
		return SingleSignOn{}, err
	}
	if err := change(account); err != nil {
		return SingleSignOn{}, err
	}
	s.applyChange()
	return s.getSingleSignOn(ctx, SingleSignOnRef{id})
}

func (s *Service) setSingleSignOn(ctx context.Context, in SingleSignOnSettings) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.SetSSOProvider(ctx, account, access.SSOSettings{Issuer: in.Issuer, ClientID: in.ClientID,
			Secret: in.ClientSecret, Name: in.Name, JoinRole: parley.Role(in.JoinRole)})
	})
}

func (s *Service) trySingleSignOn(ctx context.Context, in SingleSignOnRef) (SingleSignOnOutcome, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return SingleSignOnOutcome{}, err
	}
	fault, err := s.Accounts.TrySSOProvider(ctx, account)
	return SingleSignOnOutcome{Works: err == nil && fault == "", Error: fault}, err
}

func (s *Service) removeSingleSignOn(ctx context.Context, in SingleSignOnRef) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.RemoveSSOProvider(ctx, account)
	})
}

func (s *Service) addSignInDomain(ctx context.Context, in NewSignInDomain) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.AddSSODomain(ctx, account, in.Domain)
	})
}

func (s *Service) proveSignInDomain(ctx context.Context, in SignInDomainRef) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.ProveSSODomain(ctx, account, in.Domain)
	})
}

func (s *Service) confirmSignInDomain(ctx context.Context, in SignInDomainRef) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.ConfirmSSODomain(ctx, account, in.Domain)
	})
}

func (s *Service) removeSignInDomain(ctx context.Context, in SignInDomainRef) (SingleSignOn, error) {
	return s.changeSingleSignOn(ctx, in.AccountID, func(account parley.AccountID) error {
		return s.Accounts.RemoveSSODomain(ctx, account, in.Domain)
	})
}
