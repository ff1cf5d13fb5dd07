package v1

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
	"parley/internal/ingest"
)

// PictureUpload is a picture for a chatbot.
type PictureUpload struct {
	Upload *httpapi.Upload
	Body   PictureUploadBody
}

// PictureUploadBody names the chatbot.
type PictureUploadBody struct {
	ChatbotID string `json:"chatbotId" min:"1"`
}

// The names of the parts that hold pictures.
const (
	iconPart    = "chatbotIconFile"
	profilePart = "profilePictureFile"
)

const pictureMessage = "A square PNG, JPEG, GIF or WebP image under 1 MB and at most 4096 pixels wide, told by " +
	"its content."

// newPictureForm returns a form with a picture of less than 1 MB in the named part.
func newPictureForm(part string) *httpapi.Form {
	return &httpapi.Form{FilePartName: part, MaxFiles: 1, MinFileBytes: 1, MaxFileBytes: 1<<20 - 1,
		FileDescription: pictureMessage}
}

// uploadFolder returns the folder that uploads are written to.
func (s *server) uploadFolder(context.Context, *http.Request, any) (string, error) {
	return s.Ingest.Files.Incoming()
}

// pictureActs are what changes of pictures are called in the audit log.
var pictureActs = map[agents.Picture]struct{ set, remove string }{
	agents.Icon:    {"icon.set", "icon.remove"},
	agents.Profile: {"picture.set", "picture.remove"},
}

func (s *server) uploadPicture(picture agents.Picture, part, message string) httpapi.Handler[PictureUpload, Done] {
	return func(ctx context.Context, c *call, in *PictureUpload) (*Done, error) {
		id := parley.AgentID(in.Body.ChatbotID)
		if in.Upload == nil || len(in.Upload.Files) == 0 {
			if err := s.checkChatbot(ctx, c.Caller, in.Body.ChatbotID); err != nil {
				return nil, err
			}
			return nil, parley.Invalid(part, "is required, as a file in multipart/form-data")
		}
		file := in.Upload.Files[0]
		ctx = s.audited(ctx, c, pictureActs[picture].set, in.Body.ChatbotID, "")
		err := s.Agents.SetPicture(ctx, callerOf(c).AgentRef(id), picture,
			ingest.File{Name: file.Name, Path: file.Path, Size: file.Size, Hash: file.Hash})
		if e := parley.AsError(err); err != nil && e.Code == parley.CodeInvalidBody {
			return nil, parley.Invalid(part, e.Details["file"])
		}
		if err != nil {
			return nil, fmt.Errorf("upload a picture: %w", err)
		}
		return &Done{message}, nil
	}
}

// PictureRemoval names a chatbot, in the query or in the body.
type PictureRemoval struct {
	ChatbotID string `query:"chatbotId" doc:"The chatbot, where the body does not name it."`
	Body      PictureRemovalBody
}

// PictureRemovalBody names the chatbot, where the query does not.
type PictureRemovalBody struct {
	ChatbotID string `json:"chatbotId,omitempty"`
}

func (s *server) removePicture(picture agents.Picture, message string) httpapi.Handler[PictureRemoval, Done] {
	return func(ctx context.Context, c *call, in *PictureRemoval) (*Done, error) {
		id := in.ChatbotID
		if c.Request.URL.Query().Get("chatbotId") == "" {
			if id = in.Body.ChatbotID; id == "" {
				return nil, parley.Invalid("chatbotId", "is required")
			}
		}
		ctx = s.audited(ctx, c, pictureActs[picture].remove, id, "")
		if err := s.Agents.RemovePicture(ctx, agentRef(c, id), picture); err != nil {
			return nil, fmt.Errorf("delete a picture: %w", err)
		}
		return &Done{message}, nil
	}
}

// pictureURL returns the public address of a picture, or nil if there is none. It changes with the picture.
func (s *server) pictureURL(a *parley.Agent, picture agents.Picture) *string {
	blob := a.PictureBlobID
	if picture == agents.Icon {
		blob = a.IconBlobID
	}
	if blob == "" {
		return nil
	}
	url := strings.TrimSuffix(s.BaseURL, "/") + Base + "/chatbots/" + string(a.ID) + "/" + string(picture) + "?v=" +
		blob[:8]
	return &url
}

// ShownPicture names the chatbot whose picture is requested.
type ShownPicture struct {
	ChatbotID string `path:"chatbotId"`
}

// pictureCache lets browsers cache a picture. Its address changes with it.
const pictureCache = "public, max-age=3600"

// showPicture sends a picture to anyone who knows the chatbot's id: pages that embed the chatbot show it to their
// visitors. Since it is an upload, the headers keep browsers from treating it as anything but an image.
func (s *server) showPicture(picture agents.Picture) httpapi.Handler[ShownPicture, Done] {
	return func(ctx context.Context, c *call, in *ShownPicture) (*Done, error) {
		blob, data, err := s.Agents.PictureOf(ctx, parley.AgentID(in.ChatbotID), picture)
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
}
