package chatapi

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// FileRequest uploads a file.
type FileRequest struct {
	AgentPath
	Body   FileBody
	Upload *httpapi.Upload
}

// FileBody is the other part of an upload.
type FileBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
}

// File is a file that a visitor has uploaded.
type File struct {
	ID   string `json:"id" format:"uuid"`
	Name string `json:"name"`
	Type string `json:"type" doc:"Media type, told by the content."`
	Size int64  `json:"size" min:"1" doc:"Bytes."`
	URL  string `json:"url" doc:"On this server. It needs no visitor's token: whoever knows it may read the file."`
}

// fileForm is one file of up to 10 MB.
var fileForm = &httpapi.Form{MinFileBytes: 1, MaxFileBytes: helpdesk.MaxVisitorFile, MaxFiles: 1,
	FileDescription: "A file of any kind, 1 byte to 10 MB."}

func (s *server) newFile(agent parley.AgentID, f parley.SentFile) File {
	return File{ID: string(f.ID), Name: f.Name, Type: f.MediaType, Size: f.Size,
		URL: Base + "/" + string(agent) + s.Helpdesk.VisitorFileLink(agent, f.ID)}
}

// newFiles returns the files of a message.
func (s *server) newFiles(agent parley.AgentID, m *parley.Message) []File {
	return httpapi.ConvertList(m.Files(), func(f *parley.SentFile) File { return s.newFile(agent, *f) })
}

// uploadFolder counts an upload before it is read, and returns the folder that it is written to.
func (s *server) uploadFolder(_ context.Context, _ *http.Request, by any) (string, error) {
	from := by.(*caller)
	if !areFilesShown(from.agent) {
		return "", parley.NewErrorf(parley.CodeNotFound, "This agent takes no files.")
	}
	for _, device := range from.devices() {
		if err := s.people.uploads.Take(string(from.agent.ID)+" "+device, s.Now()).Err(); err != nil {
			return "", err
		}
	}
	return s.IncomingFolder()
}

func (s *server) uploadFile(ctx context.Context, c *call, in *FileRequest) (*Data[File], error) {
	from := callerOf(c)
	if _, err := s.findOptionalConversation(ctx, from, in.Body.ConversationID); err != nil {
		return nil, err
	}
	if in.Upload == nil || len(in.Upload.Files) == 0 {
		return nil, parley.Invalid("file", "is required")
	}
	f := in.Upload.Files[0]
	stored, err := s.Helpdesk.AddVisitorFile(ctx, from.visitor,
		helpdesk.File{Name: f.Name, Path: f.Path, Size: f.Size, Hash: f.Hash})
	if err != nil {
		return nil, err
	}
	return &Data[File]{s.newFile(from.agent.ID, parley.SentFile{ID: stored.ID, Name: stored.Name,
		MediaType: stored.MediaType, Size: stored.Size})}, nil
}

// takeFiles returns the uploaded files that a visitor sends with a message. Without a text their names are the text:
// every message has one.
func (s *server) takeFiles(ctx context.Context, from *caller, message *httpapi.Opt[string],
	ids []string) ([]parley.Attachment, error) {
	list := make([]parley.AttachmentID, len(ids))
	for i, id := range ids {
		list[i] = parley.AttachmentID(id)
	}
	files, err := s.sentBefore(ctx, from, list)
	if err == nil && files == nil {
		files, err = s.Helpdesk.FindVisitorFiles(ctx, from.visitor, list)
	}
	if err != nil || len(files) == 0 || message.Value != "" {
		return files, err
	}
	*message = httpapi.Some(parley.FileNames(httpapi.ConvertList(files, func(f *parley.Attachment) parley.SentFile {
		return parley.SentFile{Name: f.Name}
	})))
	return files, nil
}

// sentBefore returns the files where an earlier attempt at the same request, whose answer has failed, has sent them;
// else nil.
func (s *server) sentBefore(ctx context.Context, from *caller, ids []parley.AttachmentID) ([]parley.Attachment, error) {
	failed := store.FailedTurn(ctx)
	if failed == "" || len(ids) == 0 {
		return nil, nil
	}
	turn, err := s.DB.TurnResult(ctx, from.agent.Ref(), failed)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	m, err := s.DB.Message(ctx, turn.ConversationRef(), turn.UserMessageID)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	var files []parley.Attachment
	for _, f := range m.Files() {
		if slices.Contains(ids, f.ID) {
			files = append(files, parley.Attachment{ID: f.ID, MessageID: m.ID, Name: f.Name, MediaType: f.MediaType,
				Size: f.Size})
		}
	}
	return files, nil
}

// ignoreNotFound returns nil for what was deleted meanwhile.
func ignoreNotFound(err error) error {
	if parley.IsCode(err, parley.CodeConversationNotFound) || parley.IsCode(err, parley.CodeMessageNotFound) {
		return nil
	}
	return err
}

// FilePath names a file in a path.
type FilePath struct {
	AgentPath
	FileID string `path:"fileId"`
	Token  string `query:"token"`
}

func (s *server) serveFile(ctx context.Context, c *call, in *FilePath) (*httpapi.EventStream, error) {
	file, err := s.Helpdesk.VisitorFile(ctx, callerOf(c).agent.Ref(), parley.AttachmentID(in.FileID), in.Token)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return nil, parley.NewErrorf(parley.CodeResourceNotFound, "File not found.")
	}
	if err != nil {
		return nil, err
	}
	c.Delegate(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), file.Header)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.Bytes))
	}), nil)
	return nil, nil
}
