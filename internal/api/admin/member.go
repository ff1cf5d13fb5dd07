package admin

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/once"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// NewMember asks for a member of an account's team.
type NewMember struct {
	AccountID string `path:"accountId" json:"-"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Role      string `json:"role"`
}

// AddedMember names the member.
type AddedMember struct {
	UserID string `json:"userId"`
	Email  string `json:"email"`
}

// Member is somebody in an account's team.
type Member struct {
	UserID    string    `json:"userId"`
	AccountID string    `json:"accountId"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	CreatedAt time.Time `json:"createdAt"`
}

func (s *Service) addMember(ctx context.Context, in NewMember) (AddedMember, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return AddedMember{}, err
	}
	m, err := s.Accounts.AddMember(ctx, access.NewMember{
		AccountID: parley.AccountID(in.AccountID),
		Email:     in.Email,
		Name:      in.Name,
		Role:      parley.Role(in.Role),
	})
	if err != nil {
		return AddedMember{}, err
	}
	return AddedMember{string(m.User.ID), m.User.Email}, nil
}

func (s *Service) listMembers(ctx context.Context, in AccountFilter) ([]Member, error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if err != nil {
		return nil, err
	}
	found, err := s.Accounts.Members(ctx, account)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newMember), nil
}

// AccountMember is a member as those see them who run the account.
type AccountMember struct {
	Member
	LastSeenAt *time.Time `json:"lastSeenAt" doc:"In the console, to the minute; null if never."`
	SignsInBy  []string   `json:"signsInBy" item:"enum=@signInWay" doc:"Empty if they have no way of signing in yet."`
	SecondStep bool       `json:"secondStep" doc:"A passkey or a recovery code is asked for after the password."`
	LastOwner  bool       `json:"lastOwner" doc:"No other owner can sign in: they stay, and stay an owner."`
}

// MemberPageQuery asks for a page of an account's members.
type MemberPageQuery struct {
	AccountID string `query:"accountId"`
	Query     string `query:"query" max:"200" doc:"A part of the name or e-mail address."`
	Paging
}

func (s *Service) listMemberPage(ctx context.Context, in MemberPageQuery) (Page[AccountMember], error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if err != nil {
		return Page[AccountMember]{}, err
	}
	issuer := ""
	if s.Users.OIDC != nil {
		issuer = s.Users.OIDC.Issuer
	}
	if own, err := s.DB.FindSSOProvider(ctx, account); err != nil {
		return Page[AccountMember]{}, err
	} else if own != nil && issuer == "" {
		issuer = own.Issuer
	}
	owners, err := s.DB.OwnersWhoSignIn(ctx, account)
	if err != nil {
		return Page[AccountMember]{}, err
	}
	read := func(p parley.PageRequest) (parley.Page[parley.AccountMember], error) {
		return s.DB.AccountMembers(ctx, account, issuer, strings.TrimSpace(in.Query), p)
	}
	return readPage(s, in.Paging, []string{"members", in.Query}, read, eachBy(func(m *parley.AccountMember) AccountMember {
		out := newAccountMember(m)
		out.LastOwner = m.Role == parley.RoleOwner && !slices.ContainsFunc(owners,
			func(id parley.UserID) bool { return id != m.User.ID })
		return out
	}))
}

func newAccountMember(m *parley.AccountMember) AccountMember {
	out := AccountMember{Member: newMember(&m.Membership), LastSeenAt: m.LastSeenAt, SignsInBy: []string{},
		SecondStep: m.SecondStep}
	for _, way := range parley.SignInWays() {
		if m.SignsInBy(way) {
			out.SignsInBy = append(out.SignsInBy, string(way))
		}
	}
	return out
}

func newMember(m *parley.Membership) Member {
	return Member{
		UserID:    string(m.User.ID),
		AccountID: string(m.AccountID),
		Email:     m.User.Email,
		Name:      m.User.Name,
		Role:      string(m.Role),
		CreatedAt: m.CreatedAt,
	}
}

// MemberRef names a member of an account by exactly one of user id and e-mail address.
type MemberRef struct {
	AccountID string `path:"accountId" json:"-"`
	UserID    string `query:"userId" json:"-"`
	Email     string `query:"email" json:"-"`
}

func (r MemberRef) accessRef() access.MemberRef {
	return access.MemberRef{AccountID: parley.AccountID(r.AccountID), UserID: parley.UserID(r.UserID), Email: r.Email}
}

// MemberChange changes the role of a member.
type MemberChange struct {
	MemberRef
	Role string `json:"role"`
}

// MemberRemoval asks for the end of a membership.
type MemberRemoval struct {
	MemberRef
	Reassign bool `query:"reassign"` // their open tickets go to whom their teams pick
}

// MemberRemovalResult says what became of the work of a member who was removed.
type MemberRemovalResult struct {
	UserID     string             `json:"userId"`
	Email      string             `json:"email"`
	Teams      int                `json:"teams"`      // that they were in
	Unassigned int                `json:"unassigned"` // open tickets that nobody has now
	Reassigned int                `json:"reassigned"` // open tickets that somebody else has now
	Rules      []RuleNamingMember `json:"rules"`      // that name them; they go on with their teams
}

// RuleNamingMember is a routing rule that names somebody who has left.
type RuleNamingMember struct {
	AgentID string `json:"agentId"`
	Key     string `json:"key"`
}

func (s *Service) changeMember(ctx context.Context, in MemberChange) (Member, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return Member{}, err
	}
	m, err := s.Accounts.ChangeMember(ctx, in.accessRef(), parley.Role(in.Role))
	if err != nil {
		return Member{}, err
	}
	s.applyChange()
	return newMember(m), nil
}

func (s *Service) removeMember(ctx context.Context, in MemberRemoval) (MemberRemovalResult, error) {
	if err := s.checkAccount(parley.AccountID(in.AccountID)); err != nil {
		return MemberRemovalResult{}, err
	}
	var result helpdesk.DepartureResult
	departure := helpdesk.Departure{
		AccountID: parley.AccountID(in.AccountID),
		Reassign:  in.Reassign,
		By:        s.author(),
		At:        s.Now(),
	}
	cleanUp := func(tx *store.DB, user parley.UserID) (facts map[string]any, err error) {
		if err := removePersonal(ctx, tx, departure.AccountID, user); err != nil {
			return nil, err
		}
		departure.UserID = user
		result, err = s.Helpdesk.RemoveMemberTx(ctx, tx, departure)
		return map[string]any{
			"teams":      result.Teams,
			"unassigned": result.Unassigned,
			"reassigned": result.Reassigned,
		}, err
	}
	m, err := s.Accounts.RemoveMember(ctx, in.accessRef(), cleanUp)
	if err != nil {
		return MemberRemovalResult{}, err
	}
	s.applyChange()
	out := MemberRemovalResult{
		UserID:     string(m.User.ID),
		Email:      m.User.Email,
		Teams:      result.Teams,
		Unassigned: result.Unassigned,
		Reassigned: result.Reassigned,
		Rules:      []RuleNamingMember{},
	}
	for _, r := range result.Rules {
		out.Rules = append(out.Rules, RuleNamingMember{string(r.AgentID), r.Key})
	}
	return out, nil
}

// MemberBase is the path of the API for members.
const MemberBase = "/console/api/v1"

// memberAPI serves members what their roles permit.
type memberAPI struct {
	api     *httpapi.API
	service *Service
}

// AddMemberRoutes adds the operations for members to an API whose callers are *parley.Member, each of whom has passed
// CheckRole.
func AddMemberRoutes(api *httpapi.API, s *Service) {
	m := &memberAPI{api: api, service: s}
	for _, r := range memberRoutes() {
		r.binding().addForMembers(m)
	}
}

// MemberConfig adds to the configuration of an API what the operations for members need: uploads, and an
// Idempotency-Key of what must not be done twice, which belongs to the member.
func MemberConfig(cfg httpapi.Config, s *Service) httpapi.Config {
	m := &memberAPI{service: s}
	runner := &once.Runner{DB: s.DB, Now: s.Now, Logger: cfg.Logger, Rules: m.replayRules(),
		OwnerOf: func(c *httpapi.Call) once.Owner {
			member := c.Caller.(*parley.Member)
			return once.Owner{Account: member.Account, Name: "member " + string(member.User)}
		}}
	cfg.RunOnce = runner.Run
	cfg.AcceptsKey = func(op *httpapi.Operation) bool {
		_, hasRule := runner.Rules[op.Name]
		return hasRule
	}
	cfg.UploadDir = s.uploadFolder
	return cfg
}

// uploadFolder returns the folder that uploads are written to.
func (s *Service) uploadFolder(context.Context, *http.Request, any) (string, error) {
	return s.IncomingFolder()
}

// replayRules returns how each operation that takes an Idempotency-Key answers for the second time.
func (m *memberAPI) replayRules() map[string]once.Rule {
	message := once.Rule{Render: func(_ context.Context, _ *httpapi.Call, _ any, done once.Effect) (any, error) {
		return &MessageRef{done.ID}, nil
	}}
	return map[string]once.Rule{
		ReplyAsHuman.Name:      message,
		WriteTicket.Name:       message,
		ClaimConversation.Name: {Render: m.replayClaim},
	}
}

// replayClaim returns the conversation that the request has claimed, as it is now.
func (m *memberAPI) replayClaim(ctx context.Context, c *httpapi.Call, in any, _ once.Effect) (any, error) {
	s := m.serviceFor(c)
	ref, err := s.findConversation(ctx, in.(*Claim).ID)
	if err != nil {
		return nil, err
	}
	claimed, err := s.DB.Conversation(ctx, ref)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, err
	}
	if claimed.ClaimedBy == parley.UserID(s.author()) { // whoever sent the request may have been cut off before
		err = s.Conversations.StopAnswer(ctx, ref)
	}
	out := newConversation(claimed)
	return &out, err
}

// CheckRole fails with AUTH_INSUFFICIENT_PERMISSIONS unless the role of the member has the permission of the operation.
// Without it, it is the same whether what the request names exists or not.
func CheckRole(m parley.Member, op *httpapi.Operation) error {
	if op.Name != "" && !access.May(m.Role, op.Permission) {
		return parley.NewErrorf(parley.CodeInsufficientScope, "The role %s may not do this.", m.Role)
	}
	return nil
}

// serviceFor returns the service as the member who made the call uses it.
func (m *memberAPI) serviceFor(c *httpapi.Call) *Service {
	return m.service.actingFor(c.Caller.(*parley.Member))
}

// forMembers returns an operation as members get it: a role may lack its permission.
func forMembers(op httpapi.Operation) httpapi.Operation {
	op.Errors = append(slices.Clone(op.Errors), parley.CodeInsufficientScope)
	return op
}

// isOperatorOnly reports whether no role has the permission.
func isOperatorOnly(p parley.Permission) bool {
	return !slices.ContainsFunc(parley.Roles(), func(role parley.Role) bool { return access.May(role, p) })
}

// memberRoutes lists the operations for members: those of the operator that a role permits, where the lists that grow
// come in pages.
func memberRoutes() []route {
	pages := pageRoutes()
	paged := map[string]bool{}
	for _, r := range pages {
		paged[r.binding().description.Name] = true
	}
	list := slices.DeleteFunc(routes(), func(r route) bool {
		op := r.binding().description
		return isOperatorOnly(op.Permission) || paged[op.Name]
	})
	return append(list, pages...)
}
