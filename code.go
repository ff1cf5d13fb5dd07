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
	CodeForeignOrigin        Code = "AUTH_ORIGIN_NOT_ALLOWED"      // ours, MCP only
	CodeSignInRequired       Code = "AUTH_SIGN_IN_REQUIRED"        // ours, the console only
	CodeSignInFailed         Code = "AUTH_SIGN_IN_FAILED"          // ours, the console only
	CodePasskeyFailed        Code = "AUTH_PASSKEY_FAILED"          // ours, the console only
	CodeStepUpRequired       Code = "AUTH_STEP_UP_REQUIRED"        // ours, the console only
	CodeSecondStep           Code = "AUTH_SECOND_STEP_REQUIRED"    // ours, the console only
	CodeSSORequired          Code = "AUTH_SINGLE_SIGN_ON_REQUIRED" // ours, the console only
	CodeOtherSignIn          Code = "AUTH_OTHER_SIGN_IN_REQUIRED"  // ours, the console only
	CodePasskeyRequired      Code = "AUTH_PASSKEY_REQUIRED"        // ours, the console only
	CodeInvalidLink          Code = "AUTH_INVALID_LINK"            // ours, the console only
	CodeUserChanged          Code = "AUTH_USER_CHANGED"            // ours, the console only
	CodeVisitorRequired      Code = "AUTH_VISITOR_REQUIRED"        // ours, the widget only
	CodeIdentityRefused      Code = "AUTH_IDENTITY_REFUSED"        // ours, the widget only
	CodeDomainNotAllowed     Code = "AUTH_DOMAIN_NOT_ALLOWED"      // ours, the widget only
	CodeAddressBlocked       Code = "AUTH_ADDRESS_BLOCKED"         // ours, the widget only
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
	CodeClaimed              Code = "CONVERSATION_CLAIMED"  // ours, the console only
	CodeAnswered             Code = "CONVERSATION_ANSWERED" // ours, the console only
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
	CodeAgentChanged         Code = "AGENT_CHANGED"           // ours, the console only
	CodeModelServerChanged   Code = "MODEL_SERVER_CHANGED"    // ours, the console only
	CodeTicketChanged        Code = "TICKET_CHANGED"          // ours, the console only
	CodeAccountNotFound      Code = "ACCOUNT_NOT_FOUND"       // ours, the operator's API only
	CodeKeyNotFound          Code = "KEY_NOT_FOUND"           // ours, the operator's API only
	CodePairingPending       Code = "PAIRING_PENDING"
	CodePairingSlowDown      Code = "PAIRING_SLOW_DOWN"
	CodePairingDenied        Code = "PAIRING_DENIED"
	CodePairingExpired       Code = "PAIRING_EXPIRED"        // ours
	CodeInvalidSignature     Code = "AUTH_INVALID_SIGNATURE" // ours, channels only
	CodeChannelOff           Code = "CHANNEL_OFF"            // ours, channels only
)

// messages is the one table of codes, by HTTP status, each with its default message: REST v2, REST v1, MCP and the
// OpenAPI documents are rendered from it. Where REST v1 has words of its own, they are in internal/api/v1.
var messages = map[int]map[Code]string{
	http.StatusBadRequest: {
		CodeInvalidBody:      "The request is not valid; see details.",
		CodeInvalidJSON:      "The request body is not valid JSON.",
		CodeInvalidCursor:    "The cursor is not valid. Start again without one.",
		CodeInvalidDateRange: "The start date is after the end date.",
		CodeCursorMismatch: "The cursor belongs to a search with other parameters. Repeat them as they were, " +
			"or start again without a cursor.",
		CodeSearchWindow: "The search reaches back twelve months; export older conversations instead.",
		CodeRetryNoUser:  "No user message comes before this one, so there is nothing to answer again.",

		CodePairingPending:  "Nobody has approved this yet. Ask again after the interval.",
		CodePairingSlowDown: "You ask too often. Wait for the interval between two requests.",
		CodePairingDenied:   "The request was denied.",
		CodePairingExpired:  "The code is unknown, has expired or was used. Begin again.",
	},
	http.StatusUnauthorized: {
		CodeMissingKey: "Authentication is required: send 'Authorization: Bearer <API key>'.",
		CodeInvalidKey: "The API key is not valid.",
		CodeExpiredKey: "The API key has expired.",

		CodeSignInRequired: "Please sign in.",
		CodeSignInFailed:   "The e-mail address or the password is not right.",
		CodePasskeyFailed:  "The passkey was not accepted. Try again.",

		CodeInvalidSignature: "The signature is not valid, or the timestamp is not of the last five minutes.",

		CodeVisitorRequired: "Ask for a visitor's token first, and send it as 'Authorization: Visitor <token>'.",
	},
	http.StatusPaymentRequired: {
		CodeCreditsExhausted: "The account has no message credits left this month.",
		CodeAgentCredits:     "The agent has reached its own monthly credit limit.",
	},
	http.StatusForbidden: {
		CodeInsufficientScope: "The API key lacks the scope this request needs.",
		CodeStepUpRequired:    "Please confirm that it is you, with your password or a passkey.",
		CodeSecondStep:        "You have chosen that this alone is not enough to sign in.",
		CodeSSORequired:       "This account is entered by single sign-on.",
		CodeOtherSignIn: "You have signed in by the provider of another account, which opens that one alone. Sign in in " +
			"a way that this account allows.",
		CodePasskeyRequired:  "Owners and admins enter this account with a passkey.",
		CodeForeignOrigin:    "Requests from web pages of another origin are not taken.",
		CodeIdentityRefused:  "What shows who the user is was not accepted.",
		CodeDomainNotAllowed: "The agent may not be used on this site.",
		CodeAddressBlocked:   "This chat is not available to you.",
		CodePlanWithoutAPI:   "The account's plan does not include API access; the Standard plan or higher does.",
		CodeAgentLimit:       "The plan's maximum number of agents is reached.",
		CodePlanFeature:      "This feature is not part of the account's plan.",
		CodeModelNotAllowed:  "The agent's model is not available.",
		CodeSearchUnavailable: "The text of these conversations cannot be searched. Leave query out: filters " +
			"alone are allowed.",
		CodeVoiceWithoutAPI: "The account's plan does not include API access; the Standard plan or higher does.",
		CodeVoiceNotAvailable: "Voice mode is not available: it is not part of the account's plan, or the agent " +
			"has it turned off.",
		CodeVoiceCredits:      "The account has not enough message credits left to start a voice session.",
		CodeVoiceAgentCredits: "The agent has reached its own monthly credit limit.",
		CodeUserMismatch:      "The conversation belongs to another userId.",
	},
	http.StatusNotFound: {
		CodeAgentNotFound:        "Agent not found.",
		CodeSourceNotFound:       "Source not found.",
		CodeConversationNotFound: "Conversation not found.",
		CodeResourceNotFound:     "Conversation not found.",
		CodeNotFound:             "There is nothing at this path.",
		CodeMessageNotFound:      "Message not found.",
		CodeToolCallNotFound:     "No tool call of this id waits for a result: it is unknown, answered, or too old.",
		CodeRetryNotFound:        "The message to answer again was not found.",
		CodeTicketNotFound:       "Ticket not found.",
		CodeAccountNotFound:      "Account not found.",
		CodeKeyNotFound:          "API key not found.",
	},
	http.StatusMethodNotAllowed: {
		CodeMethodNotAllowed: "This path does not answer that method.",
	},
	http.StatusConflict: {
		CodeNotOngoing:         "The conversation is no longer ongoing. Start a new one.",
		CodeConversationBusy:   "The conversation is still answering an earlier message. Try again shortly.",
		CodeNotTakenOver:       "The conversation has not been taken over by a person.",
		CodeClaimed:            "Another member of the team answers in the conversation.",
		CodeAnswered:           "Another member of the team has written to the customer in the meantime.",
		CodeKeyInUse:           "A request with this Idempotency-Key is still running. Try again shortly.",
		CodeSourceDuplicate:    "The agent already has this source.",
		CodeSourcePendingDel:   "The source is being deleted.",
		CodeSourceAlreadyDel:   "The source is already being deleted.",
		CodeAgentNotTrained:    "The agent has no live source yet.",
		CodeAlreadyExists:      "It exists already.",
		CodeUserChanged:        "Somebody else has signed in since this page was loaded. Load it again.",
		CodeAgentChanged:       "Somebody has changed the agent in the meantime. The details are its present settings.",
		CodeModelServerChanged: "Somebody has changed the server of models in the meantime. Read it again.",
		CodeTicketChanged:      "The ticket has changed in the meantime. Read it again.",
		CodeChannelOff:         "The channel is switched off.",
	},
	http.StatusGone: {
		CodeInvalidLink: "The link is not valid any more: it was used, has expired or was replaced. Ask for a new one.",
	},
	http.StatusRequestEntityTooLarge: {
		CodeTooLarge: "The request body is too large.",
	},
	http.StatusUnprocessableEntity: {
		CodeNotAssistant:   "Only the assistant's messages take feedback.",
		CodeTicketStatus:   "The status is not one of this agent's, or it is archived.",
		CodeTicketTeam:     "The team is not one of this agent's.",
		CodeTicketMember:   "The assignee is not a member of the account's team.",
		CodeMemberNotFound: "The author is not a member of the account's team.",
		CodeNotRenderable:  "Nothing of the content would be shown.",
		CodeKeyReused:      "This Idempotency-Key was used for a request with another body.",
		CodeSourceSize:     "The agent's storage limit would be exceeded.",
	},
	http.StatusTooManyRequests: {
		CodeTooManyRequests: "Too many requests. Slow down and try again.",
		CodeVoiceLimit:      "A limit of voice sessions is reached; see details.reason.",
	},
	http.StatusInternalServerError: {
		CodeInternal:      "Something went wrong on our side. Quote the x-request-id to the operator.",
		CodeChatStreaming: "The answer could not be produced. Try again.",
		CodeSessionFailed: "The voice session could not be created. Try again.",
	},
	http.StatusServiceUnavailable: {
		CodeSearchBusy:       "The search took too long or too many are running. Try again shortly.",
		CodeUnderMaintenance: "The service is not available for a moment. Try again shortly.",
	},
}

// codes holds what is known of each code.
var codes = indexCodes()

type codeInfo struct {
	status  int // of HTTP
	message string
}

func indexCodes() map[Code]codeInfo {
	all := map[Code]codeInfo{}
	for status, list := range messages {
		for code, message := range list {
			if _, twice := all[code]; twice {
				panic("parley: two messages of the code " + code)
			}
			all[code] = codeInfo{status, message}
		}
	}
	return all
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
