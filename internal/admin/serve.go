package admin

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"parley"
)

// maxBody bounds what a command sends; the largest is a manifest with the texts it names.
const maxBody = 64 << 20

// Handler answers the admin socket: POST /VERB with the verb's input. Whoever reaches the socket is the operator: the
// file's mode is the only guard.
func Handler(d *Desk, log *slog.Logger) http.Handler {
	verbs := acts()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := answer(verbs, d, r)
		if err != nil {
			e := parley.ErrorOf(err)
			log.WarnContext(r.Context(), "admin", "verb", r.URL.Path, "err", err)
			reply(w, e.Code.Status(), Failure{FailureBody{e.Code, e.Message, e.Details}})
			return
		}
		reply(w, http.StatusOK, out)
	})
}

func answer(verbs map[string]act, d *Desk, r *http.Request) (any, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	do, ok := verbs[name]
	if !ok || r.Method != http.MethodPost {
		return nil, parley.Failf(parley.CodeNotFound, "The running server does not know the command %q; is it another version?", name)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, parley.Failf(parley.CodeTooLarge, "The command sends more than %d MB.", maxBody>>20)
	}
	return do(d, r.Context(), body)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Failure is how an error is written for machines.
type Failure struct {
	Error FailureBody `json:"error"`
}

// FailureBody is the inside of a Failure.
type FailureBody struct {
	Code    parley.Code       `json:"code"`
	Message string            `json:"message"`
	Details map[string]string `json:"details,omitempty"`
}
