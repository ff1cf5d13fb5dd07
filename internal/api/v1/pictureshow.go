package v1

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
)

// ShownPicture names a chatbot whose picture is shown.
type ShownPicture struct {
	ChatbotID string `path:"chatbotId"`
}

// pictureCache is how long a browser may show a picture without asking again. Its address changes with it.
const pictureCache = "public, max-age=3600"

func (s *server) showIcon(ctx context.Context, c *httpapi.Call, in *ShownPicture) (*Done, error) {
	return s.showPicture(ctx, c, in, agents.Icon)
}

func (s *server) showProfile(ctx context.Context, c *httpapi.Call, in *ShownPicture) (*Done, error) {
	return s.showPicture(ctx, c, in, agents.Profile)
}

// showPicture sends a picture to whoever knows the chatbot: pages that embed it show it to their visitors. Somebody has uploaded it, so it
// is declared to be nothing but an image.
func (s *server) showPicture(ctx context.Context, c *httpapi.Call, in *ShownPicture, which agents.Picture) (*Done, error) {
	blob, data, err := s.Agents.PictureOf(ctx, parley.AgentID(in.ChatbotID), which)
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		return nil, parley.NewErrorf(parley.CodeNotFound, "There is no such picture.")
	}
	if err != nil {
		return nil, fmt.Errorf("show a picture: %w", err)
	}
	h := c.Header()
	h.Set("Content-Type", blob.MediaType)
	h.Set("Cache-Control", pictureCache)
	h.Set("ETag", `"`+blob.Hash+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.Delegate(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}), nil)
	return nil, nil //nolint:nilnil // the picture is the reply
}
