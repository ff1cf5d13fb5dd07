package console

import (
	"context"
	"encoding/json"

	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

// renderDocument returns the OpenAPI document of what is below /console/api/v1.
func (a *API) renderDocument() ([]byte, error) {
	info := admin.MemberInfo()
	info.Tags = append([]httpapi.Tag{{Name: signInTag, Description: "Who is signed in, in which ways, and as whom."}},
		info.Tags...)
	return a.members.OpenAPI(info)
}

func (a *API) getDocument(context.Context, *call, *httpapi.NoInput) (*json.RawMessage, error) {
	text := json.RawMessage(a.document())
	return &text, nil
}
