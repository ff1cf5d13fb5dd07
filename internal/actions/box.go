package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/outbound"
	"parley/internal/store"
	"parley/internal/vault"
)

// Box offers what agents can do to their turns.
type Box struct {
	DB       *store.DB
	HTTP     *outbound.Client
	Vault    *vault.Vault
	Search   *WebSearch                                                       // nil where the operator has configured no engine
	TakeOver func(ctx context.Context, turn parley.Turn, reason string) error // hands the turn's conversation to a person; the turn goes on
	Tell     store.Tell                                                       // hears of leads; may be nil
	Now      func() time.Time
	Logger   *slog.Logger

	kept  cache
	alone gate
}

// margin is what a tool has beyond the time of what it calls, so that it can say what went wrong.
const margin = 2 * time.Second

// Tools gives what the agent can do: its actions in their order, then its procedures. It is a chat.Tools.
func (b *Box) Tools(ctx context.Context, agent *parley.Agent) ([]chat.Tool, error) {
	if agent.Tools == 0 {
		return nil, nil
	}
	if tools, ok := b.kept.find(agent.ID, agent.ConfigVersion); ok {
		return tools, nil
	}
	actions, err := b.DB.Actions(ctx, agent.AccountID, agent.ID)
	if err != nil {
		return nil, err
	}
	procedures, err := b.DB.Procedures(ctx, agent.AccountID, agent.ID)
	if err != nil {
		return nil, err
	}
	tools := b.build(actions, procedures)
	b.kept.keep(agent.ID, agent.ConfigVersion, tools)
	return tools, nil
}

func (b *Box) build(actions []parley.Action, procedures []parley.Procedure) (tools []chat.Tool) {
	byKey := map[string]chat.Tool{}
	for i := range actions {
		a := &actions[i]
		if !a.Enabled {
			continue
		}
		tool, err := b.tool(a)
		if err != nil {
			b.Logger.Warn("an action is not offered", "agent", a.AgentID, "action", a.Key, "err", err)
			continue
		}
		byKey[a.Key] = tool
		tools = append(tools, tool)
	}
	for _, p := range procedures {
		if p.Enabled {
			tools = append(tools, b.procedure(p, byKey))
		}
	}
	return tools
}

// tool makes one action ready to be called.
func (b *Box) tool(a *parley.Action) (chat.Tool, error) {
	tool := chat.Tool{Kind: a.Kind, Tool: described(a.Name, a.Description, a.Triggers, inputsOf(a))}
	var err error
	switch a.Kind {
	case parley.ActionHTTP:
		err = b.http(a, &tool)
	case parley.ActionClient:
		tool.Check = func(input json.RawMessage) (json.RawMessage, error) {
			known, err := complete(a.Inputs, input)
			if err != nil {
				return nil, err
			}
			return json.Marshal(known)
		}
	case parley.ActionCollectLeads:
		tool.Run, err = b.leads(a)
	case parley.ActionEscalate:
		tool.HandsOver = true
		tool.Run, tool.Says, err = b.escalate(a)
	case parley.ActionCustomButton:
		tool.Run, err = b.button(a)
	case parley.ActionWebSearch:
		tool.Run, err = b.webSearch(a)
		tool.Timeout = searchTime + margin
	default:
		err = fmt.Errorf("its kind %q is not known", a.Kind)
	}
	return tool, err
}

func described(name, description string, triggers []string, inputs []parley.ActionInput) llm.Tool {
	return llm.Tool{Name: name, Description: description, Parameters: Parameters(inputs), Triggers: triggers}
}

// Idle says why an action that is in order is not offered all the same; empty when it is.
func (b *Box) Idle(a *parley.Action) string {
	if a.Kind == parley.ActionWebSearch && b.Search == nil {
		return errNoEngine.Error()
	}
	return ""
}

// Close drops idle connections.
func (b *Box) Close() {
	b.HTTP.Close()
	if b.Search != nil {
		b.Search.Close()
	}
}

// run is what a tool does, with its inputs checked.
type run func(ctx context.Context, call chat.Call, v values) chat.Output

// checked wraps a run: it is called with inputs that are complete and of their types.
func checked(inputs []parley.ActionInput, do run) func(ctx context.Context, call chat.Call) chat.Output {
	return func(ctx context.Context, call chat.Call) chat.Output {
		known, err := complete(inputs, call.Input)
		if err != nil {
			return failed("%v", err)
		}
		return do(ctx, call, values{inputs: known})
	}
}

// success makes the output of a call that worked; data is nil when there is nothing to tell.
func success(data any) chat.Output {
	if data == nil {
		return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess}}
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return failed("the result is not JSON")
	}
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess, Data: raw}}
}

func failed(format string, args ...any) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: fmt.Sprintf(format, args...)}}
}

// broken is failed for a fault of ours: the cause is logged, and the caller hears what an *parley.Error says to callers.
func (b *Box) broken(call chat.Call, what string, err error) chat.Output {
	var fail *parley.Error
	if errors.As(err, &fail) && fail.Code.Status() < 500 {
		return failed("%s: %s", what, fail.Message)
	}
	b.Logger.Error(what, "agent", call.Turn.AgentID, "conversation", call.Turn.ConversationID, "err", err)
	return failed("%s", what)
}
