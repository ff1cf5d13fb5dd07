package parley

import (
	"maps"
	"net/http"
	"slices"
)

// The codes that callers can get. Those marked "ours" are not part of the interface that Parley follows;
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
	CodeAlreadyExists        Code = "RESOURCE_ALREADY_EXISTS" // ours, the operator's API only
	CodeAccountNotFound      Code = "ACCOUNT_NOT_FOUND"       // ours, the operator's API only
	CodeKeyNotFound          Code = "KEY_NOT_FOUND"           // ours, the operator's API only
)

// codeInfo is a row of the table of codes.
type codeInfo struct {
	status    int    // of HTTP
	message   string // the default message
	v1Message string // what REST v1 says in place of any message; empty where it says what the others do
}

// codes is the one table of codes: REST v2, REST v1, MCP and the OpenAPI documents are rendered from it.
var codes = map[Code]codeInfo{
	CodeInvalidBody: {
		status:  http.StatusBadRequest,
		message: "The request is not valid; see details.",
	},
	CodeInvalidJSON: {
		status:  http.StatusBadRequest,
		message: "The request body is not valid JSON.",
	},
	CodeInvalidCursor: {
		status:  http.StatusBadRequest,
		message: "The cursor is not valid. Start again without one.",
	},
	CodeInvalidDateRange: {
		status:  http.StatusBadRequest,
		message: "The start date is after the end date.",
	},
	CodeCursorMismatch: {
		status: http.StatusBadRequest,
		message: "The cursor belongs to a search with other parameters. Repeat them as they were, or start again " +
			"without a cursor.",
	},
	CodeSearchWindow: {
		status:  http.StatusBadRequest,
		message: "The search reaches back twelve months; export older conversations instead.",
	},
	CodeMissingKey: {
		status:  http.StatusUnauthorized,
		message: "Authentication is required: send 'Authorization: Bearer <API key>'.",
	},
	CodeInvalidKey: {
		status:  http.StatusUnauthorized,
		message: "The API key is not valid.",
	},
	CodeExpiredKey: {
		status:  http.StatusUnauthorized,
		message: "The API key has expired.",
	},
	CodeCreditsExhausted: {
		status:  http.StatusPaymentRequired,
		message: "The account has no message credits left this month.",
	},
	CodeAgentCredits: {
		status:    http.StatusPaymentRequired,
		message:   "The agent has reached its own monthly credit limit.",
		v1Message: "The chatbot has reached its own monthly credit limit.",
	},
	CodeInsufficientScope: {
		status:  http.StatusForbidden,
		message: "The API key lacks the scope this request needs.",
	},
	CodeForeignOrigin: {
		status:  http.StatusForbidden,
		message: "Requests from web pages of another origin are not taken.",
	},
	CodePlanWithoutAPI: {
		status:  http.StatusForbidden,
		message: "The account's plan does not include API access; the Standard plan or higher does.",
	},
	CodeAgentLimit: {
		status:    http.StatusForbidden,
		message:   "The plan's maximum number of agents is reached.",
		v1Message: "The plan's maximum number of chatbots is reached.",
	},
	CodePlanFeature: {
		status:  http.StatusForbidden,
		message: "This feature is not part of the account's plan.",
	},
	CodeModelNotAllowed: {
		status:  http.StatusForbidden,
		message: "The agent's model is not available.",
	},
	CodeSearchUnavailable: {
		status:  http.StatusForbidden,
		message: "The text of these conversations cannot be searched. Leave query out: filters alone are allowed.",
	},
	CodeNotOngoing: {
		status:  http.StatusConflict,
		message: "The conversation is no longer ongoing. Start a new one.",
	},
	CodeConversationBusy: {
		status:  http.StatusConflict,
		message: "The conversation is still answering an earlier message. Try again shortly.",
	},
	CodeAgentNotFound: {
		status:    http.StatusNotFound,
		message:   "Agent not found.",
		v1Message: "Chatbot not found.",
	},
	CodeSourceNotFound: {
		status:  http.StatusNotFound,
		message: "Source not found.",
	},
	CodeConversationNotFound: {
		status:  http.StatusNotFound,
		message: "Conversation not found.",
	},
	CodeResourceNotFound: {
		status:  http.StatusNotFound,
		message: "Conversation not found.",
	},
	CodeNotFound: {
		status:  http.StatusNotFound,
		message: "There is nothing at this path.",
	},
	CodeMethodNotAllowed: {
		status:  http.StatusMethodNotAllowed,
		message: "This path does not answer that method.",
	},
	CodeMessageNotFound: {
		status:  http.StatusNotFound,
		message: "Message not found.",
	},
	CodeNotAssistant: {
		status:  http.StatusUnprocessableEntity,
		message: "Only the assistant's messages take feedback.",
	},
	CodeToolCallNotFound: {
		status:  http.StatusNotFound,
		message: "No tool call of this id waits for a result: it is unknown, answered, or too old.",
	},
	CodeRetryNotFound: {
		status:  http.StatusNotFound,
		message: "The message to answer again was not found.",
	},
	CodeRetryNoUser: {
		status:  http.StatusBadRequest,
		message: "No user message comes before this one, so there is nothing to answer again.",
	},
	CodeNotTakenOver: {
		status:  http.StatusConflict,
		message: "The conversation has not been taken over by a person.",
	},
	CodeTicketNotFound: {
		status:  http.StatusNotFound,
		message: "Ticket not found.",
	},
	CodeTicketStatus: {
		status:  http.StatusUnprocessableEntity,
		message: "The status is not one of this agent's, or it is archived.",
	},
	CodeTicketTeam: {
		status:  http.StatusUnprocessableEntity,
		message: "The team is not one of this agent's.",
	},
	CodeTicketMember: {
		status:  http.StatusUnprocessableEntity,
		message: "The assignee is not a member of the account's team.",
	},
	CodeMemberNotFound: {
		status:  http.StatusUnprocessableEntity,
		message: "The author is not a member of the account's team.",
	},
	CodeNotRenderable: {
		status:  http.StatusUnprocessableEntity,
		message: "Nothing of the content would be shown.",
	},
	CodeKeyInUse: {
		status:  http.StatusConflict,
		message: "A request with this Idempotency-Key is still running. Try again shortly.",
	},
	CodeKeyReused: {
		status:  http.StatusUnprocessableEntity,
		message: "This Idempotency-Key was used for a request with another body.",
	},
	CodeSourceDuplicate: {
		status:  http.StatusConflict,
		message: "The agent already has this source.",
	},
	CodeSourcePendingDel: {
		status:  http.StatusConflict,
		message: "The source is being deleted.",
	},
	CodeSourceAlreadyDel: {
		status:  http.StatusConflict,
		message: "The source is already being deleted.",
	},
	CodeAgentNotTrained: {
		status:  http.StatusConflict,
		message: "The agent has no live source yet.",
	},
	CodeTooLarge: {
		status:  http.StatusRequestEntityTooLarge,
		message: "The request body is too large.",
	},
	CodeSourceSize: {
		status:  http.StatusUnprocessableEntity,
		message: "The agent's storage limit would be exceeded.",
	},
	CodeTooManyRequests: {
		status:  http.StatusTooManyRequests,
		message: "Too many requests. Slow down and try again.",
	},
	CodeInternal: {
		status:  http.StatusInternalServerError,
		message: "Something went wrong on our side. Quote the x-request-id to the operator.",
	},
	CodeChatStreaming: {
		status:  http.StatusInternalServerError,
		message: "The answer could not be produced. Try again.",
	},
	CodeSearchBusy: {
		status:  http.StatusServiceUnavailable,
		message: "The search took too long or too many are running. Try again shortly.",
	},
	CodeUnderMaintenance: {
		status:  http.StatusServiceUnavailable,
		message: "The service is not available for a moment. Try again shortly.",
	},
	CodeVoiceWithoutAPI: {
		status:  http.StatusForbidden,
		message: "The account's plan does not include API access; the Standard plan or higher does.",
	},
	CodeVoiceNotAvailable: {
		status:  http.StatusForbidden,
		message: "Voice mode is not available: it is not part of the account's plan, or the agent has it turned off.",
	},
	CodeVoiceCredits: {
		status:  http.StatusForbidden,
		message: "The account has not enough message credits left to start a voice session.",
	},
	CodeVoiceAgentCredits: {
		status:  http.StatusForbidden,
		message: "The agent has reached its own monthly credit limit.",
	},
	CodeUserMismatch: {
		status:  http.StatusForbidden,
		message: "The conversation belongs to another userId.",
	},
	CodeVoiceLimit: {
		status:  http.StatusTooManyRequests,
		message: "A limit of voice sessions is reached; see details.reason.",
	},
	CodeSessionFailed: {
		status:  http.StatusInternalServerError,
		message: "The voice session could not be created. Try again.",
	},
	CodeAlreadyExists: {
		status:  http.StatusConflict,
		message: "It exists already.",
	},
	CodeAccountNotFound: {
		status:  http.StatusNotFound,
		message: "Account not found.",
	},
	CodeKeyNotFound: {
		status:  http.StatusNotFound,
		message: "API key not found.",
	},
}

// Codes lists every code in alphabetical order.
func Codes() []Code { return slices.Sorted(maps.Keys(codes)) }

// Status returns the HTTP status of the code.
func (c Code) Status() int {
	if row, ok := codes[c]; ok {
		return row.status
	}
	return http.StatusInternalServerError
}

// DefaultMessage returns what is said of the failure when there is nothing more specific to say.
func (c Code) DefaultMessage() string { return codes[c].message }

// V1Message returns what REST v1 says of the failure in its own words, where an agent is a chatbot. It is empty for
// most codes: there REST v1 says what the error says.
func (c Code) V1Message() string { return codes[c].v1Message }
