package parley

import (
	"maps"
	"net/http"
	"slices"
)

// The codes of the interface's section 7 and of the public facts. Those marked "ours" fill places where both are silent;
// docs/interface-choices.md lists them.
const (
	CodeInvalidBody          Code = "VALIDATION_INVALID_BODY"
	CodeInvalidJSON          Code = "VALIDATION_INVALID_JSON"
	CodeInvalidCursor        Code = "VALIDATION_INVALID_CURSOR"
	CodeInvalidDateRange     Code = "VALIDATION_INVALID_DATE_RANGE"
	CodeCursorMismatch       Code = "VALIDATION_CURSOR_QUERY_MISMATCH"
	CodeSearchWindow         Code = "VALIDATION_SEARCH_WINDOW_EXCEEDED"
	CodeMissingKey           Code = "AUTH_MISSING_API_KEY"
	CodeInvalidKey           Code = "AUTH_INVALID_API_KEY"
	CodeExpiredKey           Code = "AUTH_EXPIRED_API_KEY"
	CodeInsufficientScope    Code = "AUTH_INSUFFICIENT_PERMISSIONS"
	CodeForeignOrigin        Code = "AUTH_ORIGIN_NOT_ALLOWED" // ours, MCP only
	CodePlanWithoutAPI       Code = "SUBSCRIPTION_API_RESTRICTED_PLAN"
	CodeAgentLimit           Code = "AGENT_LIMIT_REACHED"
	CodePlanFeature          Code = "PLAN_FEATURE_NOT_AVAILABLE"
	CodeSearchUnavailable    Code = "CONVERSATION_SEARCH_UNAVAILABLE"
	CodeSearchBusy           Code = "CONVERSATION_SEARCH_BUSY"
	CodeModelNotAllowed      Code = "CHAT_MODEL_NOT_ALLOWED"
	CodeCreditsExhausted     Code = "CHAT_CREDITS_EXHAUSTED"
	CodeAgentCredits         Code = "CHAT_AGENT_CREDITS_EXHAUSTED"
	CodeNotOngoing           Code = "CHAT_CONVERSATION_NOT_ONGOING"
	CodeConversationBusy     Code = "CHAT_CONVERSATION_BUSY" // ours
	CodeChatStreaming        Code = "CHAT_STREAMING_ERROR"
	CodeAgentNotFound        Code = "AGENT_NOT_FOUND"
	CodeSourceNotFound       Code = "SOURCE_NOT_FOUND"
	CodeConversationNotFound Code = "CONVERSATION_NOT_FOUND"
	CodeResourceNotFound     Code = "RESOURCE_NOT_FOUND"
	CodeNotFound             Code = "NOT_FOUND"
	CodeMethodNotAllowed     Code = "METHOD_NOT_ALLOWED" // ours
	CodeTooLarge             Code = "REQUEST_TOO_LARGE"  // ours
	CodeMessageNotFound      Code = "RESOURCE_MESSAGE_NOT_FOUND"
	CodeNotAssistant         Code = "RESOURCE_MESSAGE_NOT_ASSISTANT"
	CodeToolCallNotFound     Code = "RESOURCE_TOOL_CALL_NOT_FOUND"
	CodeRetryNotFound        Code = "CHAT_RETRY_MESSAGE_NOT_FOUND"
	CodeRetryNoUser          Code = "CHAT_RETRY_NO_USER_MESSAGE"
	CodeNotTakenOver         Code = "CONVERSATION_NOT_TAKEN_OVER"
	CodeTicketNotFound       Code = "TICKET_NOT_FOUND"
	CodeTicketStatus         Code = "TICKET_INVALID_STATUS"
	CodeTicketTeam           Code = "TICKET_TEAM_NOT_FOUND"
	CodeTicketMember         Code = "TICKET_TEAM_MEMBER_NOT_FOUND"
	CodeMemberNotFound       Code = "TEAM_MEMBER_NOT_FOUND"
	CodeNotRenderable        Code = "MESSAGE_CONTENT_NOT_RENDERABLE"
	CodeKeyInUse             Code = "IDEMPOTENCY_KEY_IN_USE" // ours
	CodeKeyReused            Code = "IDEMPOTENCY_KEY_REUSED" // ours
	CodeSourceDuplicate      Code = "SOURCE_DUPLICATE"
	CodeSourcePendingDel     Code = "SOURCE_PENDING_DELETION"
	CodeSourceAlreadyDel     Code = "SOURCE_ALREADY_PENDING_DELETION"
	CodeSourceSize           Code = "SOURCE_SIZE_LIMIT_EXCEEDED"
	CodeAgentNotTrained      Code = "AGENT_NOT_TRAINED"
	CodeTooManyRequests      Code = "RATE_LIMIT_TOO_MANY_REQUESTS"
	CodeInternal             Code = "INTERNAL_SERVER_ERROR"
	CodeUnderMaintenance     Code = "SERVICE_UNDER_MAINTENANCE"
	CodeVoiceWithoutAPI      Code = "API_RESTRICTED_PLAN" // what SUBSCRIPTION_API_RESTRICTED_PLAN is elsewhere
	CodeVoiceNotAvailable    Code = "VOICE_NOT_AVAILABLE"
	CodeVoiceCredits         Code = "INSUFFICIENT_CREDITS"
	CodeVoiceAgentCredits    Code = "AGENT_CREDITS_LIMIT_REACHED"
	CodeUserMismatch         Code = "CONVERSATION_USER_MISMATCH"
	CodeVoiceLimit           Code = "VOICE_LIMIT_EXCEEDED"
	CodeSessionFailed        Code = "SESSION_CREATION_FAILED"
	CodeAlreadyExists        Code = "RESOURCE_ALREADY_EXISTS" // ours, operator's face only
	CodeAccountNotFound      Code = "ACCOUNT_NOT_FOUND"       // ours, operator's face only
	CodeKeyNotFound          Code = "KEY_NOT_FOUND"           // ours, operator's face only
)

type codeInfo struct {
	status  int
	message string
}

var codes = map[Code]codeInfo{
	CodeInvalidBody:          {http.StatusBadRequest, "The request is not valid; see details."},
	CodeInvalidJSON:          {http.StatusBadRequest, "The request body is not valid JSON."},
	CodeInvalidCursor:        {http.StatusBadRequest, "The cursor is not valid. Start again without one."},
	CodeInvalidDateRange:     {http.StatusBadRequest, "The start date is after the end date."},
	CodeCursorMismatch:       {http.StatusBadRequest, "The cursor belongs to a search with other parameters. Repeat them as they were, or start again without a cursor."},
	CodeSearchWindow:         {http.StatusBadRequest, "The search reaches back twelve months; export older conversations instead."},
	CodeMissingKey:           {http.StatusUnauthorized, "Authentication is required: send 'Authorization: Bearer <API key>'."},
	CodeInvalidKey:           {http.StatusUnauthorized, "The API key is not valid."},
	CodeExpiredKey:           {http.StatusUnauthorized, "The API key has expired."},
	CodeCreditsExhausted:     {http.StatusPaymentRequired, "The account has no message credits left this month."},
	CodeAgentCredits:         {http.StatusPaymentRequired, "The agent has reached its own monthly credit limit."},
	CodeInsufficientScope:    {http.StatusForbidden, "The API key lacks the scope this request needs."},
	CodeForeignOrigin:        {http.StatusForbidden, "Requests from web pages of another origin are not taken."},
	CodePlanWithoutAPI:       {http.StatusForbidden, "The account's plan does not include API access; the Standard plan or higher does."},
	CodeAgentLimit:           {http.StatusForbidden, "The plan's maximum number of agents is reached."},
	CodePlanFeature:          {http.StatusForbidden, "This feature is not part of the account's plan."},
	CodeModelNotAllowed:      {http.StatusForbidden, "The agent's model is not available."},
	CodeSearchUnavailable:    {http.StatusForbidden, "The text of these conversations cannot be searched. Leave query out: filters alone are allowed."},
	CodeNotOngoing:           {http.StatusConflict, "The conversation is no longer ongoing. Start a new one."},
	CodeConversationBusy:     {http.StatusConflict, "The conversation is still answering an earlier message. Try again shortly."},
	CodeAgentNotFound:        {http.StatusNotFound, "Agent not found."},
	CodeSourceNotFound:       {http.StatusNotFound, "Source not found."},
	CodeConversationNotFound: {http.StatusNotFound, "Conversation not found."},
	CodeResourceNotFound:     {http.StatusNotFound, "Conversation not found."},
	CodeNotFound:             {http.StatusNotFound, "There is nothing at this path."},
	CodeMethodNotAllowed:     {http.StatusMethodNotAllowed, "This path does not answer that method."},
	CodeMessageNotFound:      {http.StatusNotFound, "Message not found."},
	CodeNotAssistant:         {http.StatusUnprocessableEntity, "Only the assistant's messages take feedback."},
	CodeToolCallNotFound:     {http.StatusNotFound, "No tool call of this id waits for a result: it is unknown, answered, or too old."},
	CodeRetryNotFound:        {http.StatusNotFound, "The message to answer again was not found."},
	CodeRetryNoUser:          {http.StatusBadRequest, "No user message comes before this one, so there is nothing to answer again."},
	CodeNotTakenOver:         {http.StatusConflict, "The conversation has not been taken over by a person."},
	CodeTicketNotFound:       {http.StatusNotFound, "Ticket not found."},
	CodeTicketStatus:         {http.StatusUnprocessableEntity, "The status is not one of this agent's, or it is archived."},
	CodeTicketTeam:           {http.StatusUnprocessableEntity, "The team is not one of this agent's."},
	CodeTicketMember:         {http.StatusUnprocessableEntity, "The assignee is not a member of the account's team."},
	CodeMemberNotFound:       {http.StatusUnprocessableEntity, "The author is not a member of the account's team."},
	CodeNotRenderable:        {http.StatusUnprocessableEntity, "Nothing of the content would be shown."},
	CodeKeyInUse:             {http.StatusConflict, "A request with this Idempotency-Key is still running. Try again shortly."},
	CodeKeyReused:            {http.StatusUnprocessableEntity, "This Idempotency-Key was used for a request with another body."},
	CodeSourceDuplicate:      {http.StatusConflict, "The agent already has this source."},
	CodeSourcePendingDel:     {http.StatusConflict, "The source is being deleted."},
	CodeSourceAlreadyDel:     {http.StatusConflict, "The source is already being deleted."},
	CodeAgentNotTrained:      {http.StatusConflict, "The agent has no live source yet."},
	CodeTooLarge:             {http.StatusRequestEntityTooLarge, "The request body is too large."},
	CodeSourceSize:           {http.StatusUnprocessableEntity, "The agent's storage limit would be exceeded."},
	CodeTooManyRequests:      {http.StatusTooManyRequests, "Too many requests. Slow down and try again."},
	CodeInternal:             {http.StatusInternalServerError, "Something went wrong on our side. Quote the x-request-id to the operator."},
	CodeChatStreaming:        {http.StatusInternalServerError, "The answer could not be produced. Try again."},
	CodeSearchBusy:           {http.StatusServiceUnavailable, "The search took too long or too many are running. Try again shortly."},
	CodeUnderMaintenance:     {http.StatusServiceUnavailable, "The service is not available for a moment. Try again shortly."},
	CodeVoiceWithoutAPI:      {http.StatusForbidden, "The account's plan does not include API access; the Standard plan or higher does."},
	CodeVoiceNotAvailable:    {http.StatusForbidden, "Voice mode is not available: it is not part of the account's plan, or the agent has it turned off."},
	CodeVoiceCredits:         {http.StatusForbidden, "The account has not enough message credits left to start a voice session."},
	CodeVoiceAgentCredits:    {http.StatusForbidden, "The agent has reached its own monthly credit limit."},
	CodeUserMismatch:         {http.StatusForbidden, "The conversation belongs to another userId."},
	CodeVoiceLimit:           {http.StatusTooManyRequests, "A limit of voice sessions is reached; see details.reason."},
	CodeSessionFailed:        {http.StatusInternalServerError, "The voice session could not be created. Try again."},
	CodeAlreadyExists:        {http.StatusConflict, "It exists already."},
	CodeAccountNotFound:      {http.StatusNotFound, "Account not found."},
	CodeKeyNotFound:          {http.StatusNotFound, "API key not found."},
}

// Codes lists every code in alphabetical order: the OpenAPI document and the error tests walk it.
func Codes() []Code { return slices.Sorted(maps.Keys(codes)) }
