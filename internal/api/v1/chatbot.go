package v1

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
	"parley/internal/ingest"
)

// NewChatbot is the request that makes a chatbot.
type NewChatbot struct {
	Body NewChatbotBody
}

// NewChatbotBody says what the chatbot is to be called and to read (interface 4.10).
type NewChatbotBody struct {
	ChatbotName  string   `json:"chatbotName" min:"1"`
	SourceText   string   `json:"sourceText,omitempty" doc:"What it is to answer from. The plan's storage bounds it."`
	URLsToScrape []string `json:"urlsToScrape,omitempty" max:"200" doc:"Pages to read, one by one."`
}

// ChatbotID names a chatbot.
type ChatbotID struct {
	ChatbotID string `json:"chatbotId"`
}

// Done says in a sentence what was done.
type Done struct {
	Message string `json:"message"`
}

// maxContentBytes is the most bytes a chatbot's text may take as JSON.
const maxContentBytes = 8 << 20

func (s *server) createChatbot(ctx context.Context, c *httpapi.Call, in *NewChatbot) (*ChatbotID, error) {
	who, b := callerOf(c), &in.Body
	id, err := s.Agents.CreateWithContent(ctx, who.Account, who.Plan, agents.NewAgent{Name: b.ChatbotName}, ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("create chatbot: %w", contentError(err))
	}
	return &ChatbotID{string(id)}, nil
}

// contentError words what is wrong with the content of a chatbot as REST v1 does: its fields have other names, and a plan without room
// is a refusal as every other of the plan.
func contentError(err error) error {
	failure := *parley.AsError(err)
	if failure.Code == parley.CodeSourceSize {
		return &parley.Error{Code: parley.CodePlanFeature, Message: failure.Message, Err: err}
	}
	if failure.Code != parley.CodeInvalidBody {
		return err
	}
	details := map[string]string{}
	for name, text := range failure.Details {
		if rest, ok := strings.CutPrefix(name, "urls."); ok {
			name = "urlsToScrape." + rest
		}
		details[name] = text
	}
	failure.Details = details
	return &failure
}

// NamedChatbot names a chatbot in the query.
type NamedChatbot struct {
	ChatbotID string `query:"chatbotId" required:"true"`
}

func (s *server) deleteChatbot(ctx context.Context, c *httpapi.Call, in *NamedChatbot) (*Done, error) {
	if err := s.Agents.Delete(ctx, callerOf(c).Account, parley.AgentID(in.ChatbotID)); err != nil {
		return nil, fmt.Errorf("delete chatbot: %w", err)
	}
	return &Done{"The chatbot was deleted."}, nil
}

// Chatbots are all chatbots of the account.
type Chatbots struct {
	Chatbots []Chatbot `json:"chatbots"`
}

// Chatbot is what the list says of a chatbot (facts 2.9).
type Chatbot struct {
	ID                string  `json:"id"`
	Name              string  `json:"name"`
	Status            string  `json:"status" enum:"training,ready,failed"`
	Model             string  `json:"model"`
	Instructions      string  `json:"instructions"`
	Visibility        string  `json:"visibility" enum:"private,can_be_embedded"`
	CreatedAt         string  `json:"created_at" format:"date-time"`
	UpdatedAt         string  `json:"updated_at" format:"date-time" doc:"Of its settings."`
	IconURL           *string `json:"icon_url" doc:"Where everybody finds the icon; null for none."`
	ProfilePictureURL *string `json:"profile_picture_url" doc:"Where everybody finds the profile picture; null for none."`
}

// chatbotBatchSize is how many chatbots are read at a time.
const chatbotBatchSize = 100

func (s *server) listChatbots(ctx context.Context, c *httpapi.Call, _ *httpapi.NoInput) (*Chatbots, error) {
	all := &Chatbots{Chatbots: []Chatbot{}}
	for ask := (parley.PageRequest{Limit: chatbotBatchSize}); ; {
		page, err := s.DB.Agents(ctx, callerOf(c).Account.ID, s.Now(), ask)
		if err != nil {
			return nil, fmt.Errorf("list chatbots: %w", err)
		}
		for i := range page.Items {
			all.Chatbots = append(all.Chatbots, s.newChatbot(&page.Items[i]))
		}
		if ask.After = page.Next; page.Next == nil {
			return all, nil
		}
	}
}

func (s *server) newChatbot(a *parley.Agent) Chatbot {
	return Chatbot{
		ID: string(a.ID), Name: a.Name, Status: chatbotStatus(a), Model: a.Model, Instructions: a.Instructions, Visibility: visibilityName(a),
		CreatedAt: formatTime(a.CreatedAt), UpdatedAt: formatTime(a.UpdatedAt),
		IconURL: s.pictureURL(a, agents.Icon), ProfilePictureURL: s.pictureURL(a, agents.Profile),
	}
}

// chatbotStatus is the state of a chatbot. One that has nothing to read is ready.
func chatbotStatus(a *parley.Agent) string {
	switch status := a.Status(); status {
	case parley.AgentTraining, parley.AgentFailed:
		return string(status)
	case parley.AgentTrained, parley.AgentUntrained:
	}
	return "ready"
}

// ChatbotData replaces what a chatbot reads.
type ChatbotData struct {
	Body ChatbotDataBody
}

// ChatbotDataBody is the new content, text or pages or both, and a new name (facts 4.10).
type ChatbotDataBody struct {
	ChatbotID    string   `json:"chatbotId" min:"1"`
	ChatbotName  string   `json:"chatbotName,omitempty" doc:"The name stays where this is missing."`
	SourceText   string   `json:"sourceText,omitempty" doc:"What it is to answer from. The plan's storage bounds it."`
	URLsToScrape []string `json:"urlsToScrape,omitempty" max:"200" doc:"Pages to read, one by one."`
}

func (s *server) updateChatbotData(ctx context.Context, c *httpapi.Call, in *ChatbotData) (*ChatbotID, error) {
	who, b := callerOf(c), &in.Body
	if b.SourceText == "" && len(b.URLsToScrape) == 0 {
		if err := s.checkChatbot(ctx, c.Caller, b.ChatbotID); err != nil {
			return nil, err
		}
		return nil, parley.Invalid("sourceText", "is required where there are no urlsToScrape")
	}
	err := s.Agents.ReplaceContent(ctx, who.Account, who.Plan, parley.AgentID(b.ChatbotID), b.ChatbotName, ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("replace a chatbot's content: %w", contentError(err))
	}
	return &ChatbotID{b.ChatbotID}, nil
}

// gpt4 is the model that not every plan holds.
const gpt4 = "gpt-4"

// checkModel checks a model that the caller names in a field: integrations go on naming models that agents are not given any more. Fails
// with VALIDATION_INVALID_BODY for one that there is not, and with PLAN_FEATURE_NOT_AVAILABLE for gpt-4 on a plan that does not hold
// it (interface 4.10).
func (s *server) checkModel(plan parley.Plan, field, model string) error {
	if model == gpt4 && !plan.GPT4Models {
		return parley.NewErrorf(parley.CodePlanFeature, "The model %s is not part of the %s plan.", model, plan.Name)
	}
	if _, known := s.Chat.Models.Lookup(model); !known {
		return parley.Invalid(field, "is not a model that this server offers")
	}
	return nil
}
