package httpapi

import (
	"encoding/json"
	"net/http"

	"parley"
)

// Info is what the OpenAPI document says beyond its operations.
type Info struct {
	Title         string
	Description   string
	Version       string
	Contact       string // who to ask
	Servers       []Server
	Tags          []Tag              // in the order a reader meets them
	Docs          map[string]Doc     // of each operation, by its name
	ParamExamples map[string]Example // of parameters that say nothing of themselves, by name
}

// Server is a base address of the interface.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Doc tell a reader about one operation. The examples are JSON, but for Events.
type Doc struct {
	Text           string // Markdown: what it does and what to beware of
	RequestExample string // of an operation with a body
	ReplyExample   string // of its success
	EventsExample  string // of its success as a stream
}

// Example describes a parameter.
type Example struct {
	Text  string
	Value string
}

func (a Info) infoObject() object {
	return object{"title": a.Title, "description": a.Description, "version": a.Version, "contact": object{"name": a.Contact},
		"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}}
}

// mediaType is the content of one kind, with its example.
func mediaType(schema object, example any) object {
	m := object{"schema": schema}
	if example != nil && example != "" {
		m["example"] = example
	}
	return m
}

// exampleJSON returns a JSON text as it is to stand in the document.
func exampleJSON(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// addExample adds what is known of a parameter by its name.
func (a Info) addExample(doc object) {
	s, ok := a.ParamExamples[doc["name"].(string)]
	if !ok {
		return
	}
	if _, exists := doc["description"]; !exists {
		doc["description"] = s.Text
	}
	if s.Value != "" {
		doc["example"] = s.Value
		if schema, _ := doc["schema"].(object); schema["type"] == "integer" {
			doc["example"] = json.RawMessage(s.Value)
		}
	}
}

// failureExamples returns an example of each code: what the caller reads when nothing more is to be said.
func (c *schemas) failureExamples(codes []string) object {
	all := object{}
	for _, code := range codes {
		failure := parley.NewError(parley.Code(code))
		if failure.Code == parley.CodeInvalidBody {
			failure.Details = map[string]string{"limit": "must be from 1 to 100"}
		}
		_, body := c.renderError(failure)
		all[code] = object{"summary": failure.Message, "value": body}
	}
	return all
}

// addUnreadableResponse is the response to what is no HTTP request: it reaches no operation. The document names it where an operation has
// no other refusal that is the caller's fault.
func addUnreadableResponse(all object) {
	for status := range all {
		if status[0] == '4' {
			return
		}
	}
	all["4XX"] = object{"description": "The request is not readable as HTTP; it is refused before it reaches the service, as plain text.",
		"content": object{"text/plain": object{"schema": object{"type": "string"}, "example": "400 " + http.StatusText(http.StatusBadRequest)}}}
}
