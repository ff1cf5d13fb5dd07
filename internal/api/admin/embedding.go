package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/api/looks"
	"parley/internal/visitor"
)

// IdentitySecret is what a site signs with to prove who its users are.
type IdentitySecret struct {
	Secret   string     `json:"secret"`
	OldUntil *time.Time `json:"oldUntil" doc:"Until then the one before is valid as well; null where there is none."`
}

// SecretRotation asks for a new secret.
type SecretRotation struct {
	AgentID     string `path:"agentId" json:"-"`
	KeepOldDays int    `json:"keepOldDays" min:"0" max:"14"`
}

// FieldDocs returns the docs that are too long for tags.
func (SecretRotation) FieldDocs() map[string]string {
	return map[string]string{"keepOldDays": "How long the present secret stays valid beside the new one."}
}

func (s *Service) getIdentitySecret(ctx context.Context, in AgentRef) (IdentitySecret, error) {
	a, err := s.agent(ctx, in.ID)
	if err != nil {
		return IdentitySecret{}, err
	}
	out := IdentitySecret{Secret: a.IdentitySecret}
	if until := a.OldIdentityUntil; until != nil && s.Now().Before(*until) {
		out.OldUntil = until
	}
	return out, nil
}

func (s *Service) rotateIdentitySecret(ctx context.Context, in SecretRotation) (IdentitySecret, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return IdentitySecret{}, err
	}
	keep := time.Duration(in.KeepOldDays) * 24 * time.Hour
	if err := s.Agents.RotateIdentitySecret(ctx, ref, keep); err != nil {
		return IdentitySecret{}, err
	}
	return s.getIdentitySecret(ctx, AgentRef{in.AgentID})
}

// IdentityProof is what a page says of its user: a token, or a user id with its hash.
type IdentityProof struct {
	AgentID  string `path:"agentId" json:"-"`
	Token    string `json:"token,omitempty" max:"100000"`
	UserID   string `json:"user_id,omitempty" max:"1000"`
	UserHash string `json:"user_hash,omitempty" max:"1000"`
}

// IdentityVerdict says what a proof is worth.
type IdentityVerdict struct {
	UserID   string   `json:"userId"` // empty where it is refused
	Reason   string   `json:"reason" enum:"expired,bad_signature,wrong_algorithm,no_user,malformed," name:"IdentityReason"`
	Message  string   `json:"message"`
	Warnings []string `json:"warnings"`
}

func (s *Service) checkIdentity(ctx context.Context, in IdentityProof) (IdentityVerdict, error) {
	a, err := s.agent(ctx, in.AgentID)
	if err != nil {
		return IdentityVerdict{}, err
	}
	d := s.Visitors.Diagnose(a, visitor.Proof{Token: in.Token, UserID: in.UserID, UserHash: in.UserHash})
	return IdentityVerdict{string(d.UserID), string(d.Reason), d.Message, append([]string{}, d.Warnings...)}, nil
}

// PageAddress is where an agent is to be embedded.
type PageAddress struct {
	AgentID string `path:"agentId" json:"-"`
	Address string `json:"address" min:"1" max:"2000"`
}

// DomainVerdict says whether an agent may be embedded at an address.
type DomainVerdict struct {
	IsAllowed bool   `json:"isAllowed"`
	Origin    string `json:"origin"` // empty where the address has none
	Domain    string `json:"domain"` // of the agent, the one that allows it; empty for none
	Reason    string `json:"reason" enum:"no_address,other_domain,private," name:"DomainReason"`
	Message   string `json:"message"`
}

func (s *Service) checkDomain(ctx context.Context, in PageAddress) (DomainVerdict, error) {
	a, err := s.agent(ctx, in.AgentID)
	if err != nil {
		return DomainVerdict{}, err
	}
	c := visitor.CheckAddress(a, in.Address)
	return DomainVerdict{c.Reason == "", c.Origin, c.Domain, string(c.Reason), c.Message}, nil
}

// PreviewTicket lets the console show the chat of an agent in a frame that is shut off from its origin.
type PreviewTicket struct {
	Ticket    string    `json:"ticket"`
	Address   string    `json:"address" doc:"Of the frame, with the ticket."`
	ExpiresAt time.Time `json:"expiresAt"`
	Icon      *string   `json:"icon" doc:"Path of the picture on the button."`
	Picture   *string   `json:"picture" doc:"Path of the picture beside answers."`
}

func (s *Service) createPreviewTicket(ctx context.Context, in AgentRef) (PreviewTicket, error) {
	a, err := s.agent(ctx, in.ID)
	if err != nil {
		return PreviewTicket{}, err
	}
	ticket, expires := s.Visitors.NewPreviewTicket(a.ID)
	return PreviewTicket{
		Ticket: ticket, ExpiresAt: expires,
		Address: s.PagesURL + "/chatbot-iframe/" + string(a.ID) + "?preview=" + ticket,
		Icon:    looks.PicturePath(a, agents.Icon), Picture: looks.PicturePath(a, agents.Profile),
	}, nil
}

// NewPicture is a picture for an agent.
type NewPicture struct {
	AgentID string `path:"agentId" json:"-"`
	Image   []byte `json:"image" min:"1" max:"1398104"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewPicture) FieldDocs() map[string]string {
	return map[string]string{"image": "A square PNG, JPEG or WebP image of at most 1 MB and 1024 pixels, in base64."}
}

// NewIcon is an icon for an agent.
type NewIcon struct {
	AgentID    string `path:"agentId" json:"-"`
	Image      []byte `json:"image" min:"1" max:"1398104"`
	SyncAccent bool   `json:"syncAccent,omitempty"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewIcon) FieldDocs() map[string]string {
	docs := NewPicture{}.FieldDocs()
	docs["syncAccent"] = "Make the color of the icon the accent color of center stage. That of WebP is not known."
	return docs
}

// ShownPicture is where a picture is shown.
type ShownPicture struct {
	Path *string `json:"path"` // nil for none
}

func (s *Service) setIcon(ctx context.Context, in NewIcon) (ShownPicture, error) {
	return s.replacePicture(ctx, in, agents.Icon)
}

func (s *Service) setPicture(ctx context.Context, in NewPicture) (ShownPicture, error) {
	return s.replacePicture(ctx, NewIcon{AgentID: in.AgentID, Image: in.Image}, agents.Profile)
}

func (s *Service) removeIcon(ctx context.Context, in AgentRef) (ShownPicture, error) {
	return s.removeOnePicture(ctx, in, agents.Icon)
}

func (s *Service) removePicture(ctx context.Context, in AgentRef) (ShownPicture, error) {
	return s.removeOnePicture(ctx, in, agents.Profile)
}

// maxPictureBytes is the largest picture.
const maxPictureBytes = 1 << 20

func (s *Service) replacePicture(ctx context.Context, in NewIcon, kind agents.Picture) (ShownPicture, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ShownPicture{}, err
	}
	if len(in.Image) > maxPictureBytes {
		return ShownPicture{}, parley.Invalid("image", "must be at most 1 MB")
	}
	err = s.Agents.ReplacePicture(ctx, ref, kind, in.Image, in.SyncAccent)
	if e := parley.AsError(err); err != nil && e.Code == parley.CodeInvalidBody {
		return ShownPicture{}, parley.Invalid("image", e.Details["file"])
	}
	if err != nil {
		return ShownPicture{}, err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return ShownPicture{}, err
	}
	return ShownPicture{looks.PicturePath(a, kind)}, nil
}

func (s *Service) removeOnePicture(ctx context.Context, in AgentRef, kind agents.Picture) (ShownPicture, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err == nil {
		err = s.Agents.RemovePicture(ctx, ref, kind)
	}
	return ShownPicture{}, err
}

// agent returns an agent with its settings. Fails with AGENT_NOT_FOUND.
func (s *Service) agent(ctx context.Context, id string) (*parley.Agent, error) {
	ref, err := s.findAgent(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.DB.Agent(ctx, ref, s.Now())
}
