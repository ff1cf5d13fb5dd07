package v1

import (
	"context"
	"fmt"
	"net/http"
	"strings"

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

const pictureMessage = "A square PNG, JPEG, GIF or WebP image under 1 MB and at most 4096 pixels wide, told by its content."

// newPictureForm is the form with a picture of less than 1 MB in a part.
func newPictureForm(part string) *httpapi.Form {
	return &httpapi.Form{FilePartName: part, MaxFiles: 1, MinFileBytes: 1, MaxFileBytes: 1<<20 - 1, FileDescription: pictureMessage}
}

// uploadFolder returns the folder that uploads are written to.
func (s *server) uploadFolder(context.Context, *http.Request, any) (string, error) {
	return s.Ingest.Files.Incoming()
}

func (s *server) uploadIcon(ctx context.Context, c *httpapi.Call, in *PictureUpload) (*Done, error) {
	return s.uploadPicture(ctx, c, in, agents.Icon, iconPart, "The icon was uploaded.")
}

func (s *server) uploadProfile(ctx context.Context, c *httpapi.Call, in *PictureUpload) (*Done, error) {
	return s.uploadPicture(ctx, c, in, agents.Profile, profilePart, "The profile picture was uploaded.")
}

func (s *server) uploadPicture(ctx context.Context, c *httpapi.Call, in *PictureUpload, which agents.Picture, part, done string) (*Done, error) {
	id := parley.AgentID(in.Body.ChatbotID)
	if in.Upload == nil || len(in.Upload.Files) == 0 {
		if _, err := s.findChatbot(ctx, c, in.Body.ChatbotID); err != nil {
			return nil, err
		}
		return nil, httpapi.InvalidField(part, "is required, as a file in multipart/form-data")
	}
	file := in.Upload.Files[0]
	err := s.Agents.SetPicture(ctx, callerOf(c).Account, id, which, ingest.File{Name: file.Name, Path: file.Path, Size: file.Size, Hash: file.Hash})
	if e := parley.AsError(err); err != nil && e.Code == parley.CodeInvalidBody {
		return nil, httpapi.InvalidField(part, e.Details["file"])
	}
	if err != nil {
		return nil, fmt.Errorf("upload a picture: %w", err)
	}
	return &Done{done}, nil
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

func (s *server) deleteIcon(ctx context.Context, c *httpapi.Call, in *PictureRemoval) (*Done, error) {
	return s.removePicture(ctx, c, in, agents.Icon, "The icon was deleted.")
}

func (s *server) deleteProfile(ctx context.Context, c *httpapi.Call, in *PictureRemoval) (*Done, error) {
	return s.removePicture(ctx, c, in, agents.Profile, "The profile picture was deleted.")
}

func (s *server) removePicture(ctx context.Context, c *httpapi.Call, in *PictureRemoval, which agents.Picture, done string) (*Done, error) {
	id := in.ChatbotID
	if c.Request.URL.Query().Get("chatbotId") == "" {
		if id = in.Body.ChatbotID; id == "" {
			return nil, httpapi.InvalidField("chatbotId", "is required")
		}
	}
	if err := s.Agents.RemovePicture(ctx, callerOf(c).Account, parley.AgentID(id), which); err != nil {
		return nil, fmt.Errorf("delete a picture: %w", err)
	}
	return &Done{done}, nil
}

// pictureURL is where everybody finds a picture; nil where there is none. It changes with the picture.
func (s *server) pictureURL(a *parley.Agent, which agents.Picture) *string {
	blob := a.PictureBlobID
	if which == agents.Icon {
		blob = a.IconBlobID
	}
	if blob == "" {
		return nil
	}
	url := strings.TrimSuffix(s.BaseURL, "/") + Base + "/chatbots/" + string(a.ID) + "/" + string(which) + "?v=" + blob[:8]
	return &url
}
