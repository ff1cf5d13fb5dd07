package mcp

import (
	"encoding/json"
	"slices"
	"strings"
)

// hostedPrefix begins the names by which skills and programs that were written for the hosted service call the tools.
const hostedPrefix = "chatbase_"

// callMethod is the method of a message that calls a tool.
const callMethod = "tools/call"

// resolveAlias returns a message in which a tool that is called by its name at the hosted service has the name that is
// listed here. Every other message stays as it is.
func resolveAlias(h rpcHead, text jsonText) jsonText {
	if h.Method == nil || *h.Method != callMethod {
		return text
	}
	var message, params map[string]jsonText
	var called string
	if json.Unmarshal(text, &message) != nil || json.Unmarshal(message["params"], &params) != nil ||
		json.Unmarshal(params["name"], &called) != nil {
		return text
	}
	name, isAlias := strings.CutPrefix(called, hostedPrefix)
	if !isAlias || !slices.ContainsFunc(toolTable, func(t tool) bool { return t.name == name }) {
		return text
	}
	params["name"] = encode(toolPrefix + name)
	message["params"] = encode(params)
	return encode(message)
}

// encode returns the JSON of what has been read as JSON, or of a text; it does not fail.
func encode(v any) jsonText {
	text, _ := json.Marshal(v)
	return text
}
