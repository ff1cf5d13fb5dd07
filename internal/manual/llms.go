package manual

import (
	"strings"

	"parley/internal/httpapi"
)

// LLMsPath is where programs that read for language models find what there is to read (llmstxt.org).
const LLMsPath = "/" + llmsName

const llmsName = "llms.txt"

// contentTypeMarkdown is that of the list.
const contentTypeMarkdown = "text/markdown; charset=utf-8"

// llmsIntroduction begins the list.
const llmsIntroduction = `# Parley

> Parley is an open server for AI support agents. This server runs it. Agents answer questions from their sources, in
> chat and by voice; people and programs reach them through a REST interface, MCP, and the form of OpenAI's interface.

## Interfaces

- [REST, version 2](/openapi.json): the OpenAPI document; base path /api/v2, an API key as bearer token
- [REST, version 1](/openapi-v1.json): the OpenAPI document of the earlier interface
- [REST as a page](/docs): the same as version 2's document, for people
- [MCP](/docs/manual/mcp): the Model Context Protocol at /api/mcp
- [OpenAI's form](/docs/manual/openai-clients): /v1/chat/completions, /v1/responses and /v1/models
`

// newLLMsFile returns the list of all chapters, with what each begins with.
func (e *edition) newLLMsFile() *httpapi.StaticFile {
	var text strings.Builder
	text.WriteString(llmsIntroduction)
	group := ""
	for _, c := range e.chapters {
		if c.Group != group {
			group = c.Group
			text.WriteString("\n## " + group + "\n\n")
		}
		text.WriteString("- [" + c.Title + "](" + c.Path() + ")")
		if len(c.sections) > 1 && c.sections[1].lead != "" {
			text.WriteString(": " + c.sections[1].lead)
		}
		text.WriteString("\n")
	}
	return httpapi.NewStaticFile(contentTypeMarkdown, "no-cache", []byte(text.String()))
}
