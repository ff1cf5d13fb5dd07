package admin

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"parley"
)

// maxBodyBytes bounds what a command sends; the largest is a manifest with the texts it names.
const maxBodyBytes = 64 << 20

// Handler answers the admin socket: POST /VERB with the verb's input. Whoever reaches the socket is the operator: the
// file's mode is the only guard.
func Handler(d *Service, log *slog.Logger) http.Handler {
	verbs := commandHandlers()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := runCommand(verbs, d, r)
		if err != nil {
			e := parley.AsError(err)
			log.WarnContext(r.Context(), "admin", "verb", r.URL.Path, "err", err)
			writeReply(w, e.Code.Status(), ErrorReply{ErrorBody{e.Code, e.Message, e.Details}})
			return
		}
		writeReply(w, http.StatusOK, out)
	})
}

func runCommand(verbs map[string]commandHandler, d *Service, r *http.Request) (any, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	do, ok := verbs[name]
	if !ok || r.Method != http.MethodPost {
		return nil, parley.NewErrorf(parley.CodeNotFound, "The running server does not know the command %q; is it another version?", name)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBodyBytes {
		return nil, parley.NewErrorf(parley.CodeTooLarge, "The command sends more than %d MB.", maxBodyBytes>>20)
	}
	return do(d, r.Context(), body)
}

func writeReply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// ErrorReply is how an error is written for machines.
type ErrorReply struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody is the inside of a ErrorReply.
type ErrorBody struct {
	Code    parley.Code       `json:"code"`
	Message string            `json:"message"`
	Details map[string]string `json:"details,omitempty"`
}
