package openai

import (
	"encoding/json"
	"strconv"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/model"
)

// functionType is the type of the only tools that can be passed through.
const functionType = "function"

// FunctionTool is a tool of the client.
type FunctionTool struct {
	Name        string              `json:"name" pattern:"^[A-Za-z0-9_-]{1,64}$"`
	Description httpapi.Opt[string] `json:"description,omitzero" nullable:"true"`
	Parameters  json.RawMessage     `json:"parameters,omitempty"`
}

// noParameters is the schema of a tool that takes no input.
const noParameters = `{"type":"object","properties":{}}`

// clientTool returns the tool as a turn offers it to the model. at is where the client has sent it.
func (f *FunctionTool) clientTool(at string) (chat.Tool, error) {
	parameters := f.Parameters
	if !isGiven(parameters) {
		parameters = json.RawMessage(noParameters)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(parameters, &object) != nil {
		return chat.Tool{}, parley.Invalid(at+".parameters", "must be a JSON schema of an object")
	}
	return chat.Tool{Kind: parley.ActionClient,
		Tool: model.Tool{Name: f.Name, Description: f.Description.Value, Parameters: parameters}}, nil
}

// isGiven reports whether a value was sent and is not null.
func isGiven(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// checkToolType fails for a tool that is no function. at is where the client has sent it.
func checkToolType(kind, at string) error {
	if kind != functionType {
		return parley.Invalid(at+".type", `must be "function": no other tools can be passed through`)
	}
	return nil
}

// applyToolChoice takes the choice of tools: all of them, or none. No model can be made to call one.
func applyToolChoice(req *chat.Request, choice json.RawMessage) error {
	if !isGiven(choice) {
		return nil
	}
	var name string
	switch err := json.Unmarshal(choice, &name); {
	case err == nil && name == "auto":
		return nil
	case err == nil && name == "none":
		req.ClientTools, req.ToolNames = nil, []string{}
		return nil
	}
	return parley.Invalid("tool_choice", `must be "auto" or "none": no model is made to call a tool`)
}

// indexed returns the path of an item of a list.
func indexed(list string, i int) string { return list + "." + strconv.Itoa(i) }
