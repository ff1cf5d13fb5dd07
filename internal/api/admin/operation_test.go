package admin_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/testkit"
)

func TestUnknownOperationIsNamed(t *testing.T) {
	handler := admin.Handler(testkit.Open(t).AdminService, slog.New(slog.DiscardHandler))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/futures", http.NoBody))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "does not know the operation GET /futures") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A caller in the same process gets the error itself, with its cause; a response tells no cause.
func TestLocalCallKeepsTheCause(t *testing.T) {
	server := testkit.Open(t)
	_, err := admin.RunOn(t.Context(), server.AdminService, admin.ListSources,
		admin.SourceQuery{AgentID: "nothing", Limit: 1})
	if !parley.IsCode(err, parley.CodeAgentNotFound) {
		t.Error(err)
	}
	_, err = admin.RunOn(t.Context(), server.AdminService, admin.MoveConversation, admin.StateChange{ID: "x", Step: "fly"})
	if e := parley.AsError(err); e.Code != parley.CodeInvalidBody ||
		!strings.Contains(e.Details["step"], "must be one of") {
		t.Error(err)
	}
	if err := server.DB.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = admin.RunOn(t.Context(), server.AdminService, admin.ListAccounts, admin.NoInput{})
	var e *parley.Error
	if err == nil || errors.As(err, &e) && e.Err == nil {
		t.Errorf("without a cause: %v", err)
	}
}
