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

// NewChatbot is the request that creates a chatbot.
type NewChatbot struct {
	Body NewChatbotBody
}

// NewChatbotBody holds the name and the content of a new chatbot.
type NewChatbotBody struct {
	ChatbotName  string   `json:"chatbotName" min:"1" format:"name"`
	SourceText   string   `json:"sourceText,omitempty" doc:"What it is to answer from. The plan's storage bounds it."`
	URLsToScrape []string `json:"urlsToScrape,omitempty" max:"200" doc:"Pages to read, one by one."`
}

// ChatbotID names a chatbot.
type ChatbotID struct {
	ChatbotID string `json:"chatbotId"`
}

// Done is a message about what was done.
type Done struct {
	Message string `json:"message"`
}

// maxContentBytes is the largest JSON body with the content of a chatbot.
const maxContentBytes = 8 << 20

func (s *server) createChatbot(ctx context.Context, c *call, in *NewChatbot) (*ChatbotID, error) {
	caller, b := callerOf(c), &in.Body
	ctx = s.audited(ctx, c, "agent.create", "", "")
	id, err := s.Agents.CreateWithContent(ctx, caller.Caller, agents.NewAgent{Name: b.ChatbotName},
		ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("create chatbot: %w", contentError(err))
	}
	return &ChatbotID{string(id)}, nil
}

// contentError converts a failure about the content of a chatbot: fields have other names in REST v1, and a plan
// without enough storage is PLAN_FEATURE_NOT_AVAILABLE.
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

func (s *server) deleteChatbot(ctx context.Context, c *call, in *NamedChatbot) (*Done, error) {
	ctx = s.audited(ctx, c, "agent.delete", in.ChatbotID, "")
	if err := s.Agents.Delete(ctx, agentRef(c, in.ChatbotID)); err != nil {
		return nil, fmt.Errorf("delete chatbot: %w", err)
	}
	return &Done{"The chatbot was deleted."}, nil
}

// Chatbots holds all chatbots of the account.
type Chatbots struct {
	Chatbots []Chatbot `json:"chatbots"`
}

// Chatbot is a chatbot in the list (docs/interface/v1.md#list-of-chatbots).
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

// chatbotBatchSize is how many chatbots are read at once.
const chatbotBatchSize = 100

func (s *server) listChatbots(ctx context.Context, c *call, _ *httpapi.NoInput) (*Chatbots, error) {
	all := &Chatbots{Chatbots: []Chatbot{}}
	for request := (parley.PageRequest{Limit: chatbotBatchSize}); ; {
		page, err := s.DB.Agents(ctx, callerOf(c).Account.ID, s.Now(), request)
		if err != nil {
			return nil, fmt.Errorf("list chatbots: %w", err)
		}
		for i := range page.Items {
			all.Chatbots = append(all.Chatbots, s.newChatbot(&page.Items[i]))
		}
		if request.After = page.Next; page.Next == nil {
			return all, nil
		}
	}
}

func (s *server) newChatbot(a *parley.Agent) Chatbot {
	return Chatbot{ID: string(a.ID), Name: a.Name, Status: chatbotStatus(a), Model: a.Model,
		Instructions: a.Instructions, Visibility: visibilityName(a), CreatedAt: formatTime(a.CreatedAt),
		UpdatedAt: formatTime(a.UpdatedAt), IconURL: s.pictureURL(a, agents.Icon),
		ProfilePictureURL: s.pictureURL(a, agents.Profile)}
}

// chatbotStatus returns the state of a chatbot. One without sources is ready.
func chatbotStatus(a *parley.Agent) string {
	switch status := a.Status(); status {
	case parley.AgentTraining, parley.AgentFailed:
		return string(status)
	case parley.AgentTrained, parley.AgentUntrained:
	}
	return "ready"
}

// ChatbotData is the request that replaces the content of a chatbot.
type ChatbotData struct {
	Body ChatbotDataBody
}

// ChatbotDataBody is the new content, text or pages or both, and a new name (docs/interface/v1.md#chatbots).
type ChatbotDataBody struct {
	ChatbotID    string   `json:"chatbotId" min:"1"`
	ChatbotName  string   `json:"chatbotName,omitempty" doc:"The name stays where this is missing or blank."`
	SourceText   string   `json:"sourceText,omitempty" doc:"What it is to answer from. The plan's storage bounds it."`
	URLsToScrape []string `json:"urlsToScrape,omitempty" max:"200" doc:"Pages to read, one by one."`
}

func (s *server) updateChatbotData(ctx context.Context, c *call, in *ChatbotData) (*ChatbotID, error) {
	caller, b := callerOf(c), &in.Body
	if b.SourceText == "" && len(b.URLsToScrape) == 0 {
		if err := s.checkChatbot(ctx, c.Caller, b.ChatbotID); err != nil {
			return nil, err
		}
		return nil, parley.Invalid("sourceText", "is required where there are no urlsToScrape")
	}
	ctx = s.audited(ctx, c, "source.replace", b.ChatbotID, "")
	err := s.Agents.ReplaceContent(ctx, caller.Caller, parley.AgentID(b.ChatbotID), b.ChatbotName,
		ingest.Content{Text: b.SourceText, URLs: b.URLsToScrape})
	if err != nil {
		return nil, fmt.Errorf("replace a chatbot's content: %w", contentError(err))
	}
	return &ChatbotID{b.ChatbotID}, nil
}

// gpt4 is the model that not every plan includes.
const gpt4 = "gpt-4"

// checkModel checks a model that the caller names in a field. It accepts models that can no longer be chosen in
// REST v2, because integrations still name them. It fails with VALIDATION_INVALID_BODY for an unknown model, and
// with PLAN_FEATURE_NOT_AVAILABLE for gpt-4 on a plan that does not include it.
func (s *server) checkModel(plan parley.Plan, field, model string) error {
	if model == gpt4 && !plan.GPT4Models {
		return parley.NewErrorf(parley.CodePlanFeature, "The model %s is not part of the %s plan.", model, plan.Name)
	}
	if _, known := s.Chat.Models.Lookup(model); !known {
		return parley.Invalid(field, "is not a model that this server offers")
	}
	return nil
}
