package tracing

// Names of spans and attributes are those of OpenTelemetry's semantic conventions, version 1.37.0, of which the ones
// for generative AI are not stable yet: a change of theirs is a change of this file alone.
const (
	SchemaURL = "https://opentelemetry.io/schemas/1.37.0"

	ServiceName     = "service.name"
	ServiceVersion  = "service.version"
	ServiceInstance = "service.instance.id"

	HTTPMethod = "http.request.method"
	HTTPRoute  = "http.route"
	HTTPStatus = "http.response.status_code"
	ErrorType  = "error.type"

	DBSystem    = "db.system.name"
	DBOperation = "db.operation.name"

	GenAIOperation     = "gen_ai.operation.name"
	GenAIProvider      = "gen_ai.provider.name"
	GenAIAgentID       = "gen_ai.agent.id"
	GenAIConversation  = "gen_ai.conversation.id"
	GenAIModel         = "gen_ai.request.model"
	GenAIInputTokens   = "gen_ai.usage.input_tokens"
	GenAIOutputTokens  = "gen_ai.usage.output_tokens"
	GenAIFinishReasons = "gen_ai.response.finish_reasons"
	GenAIToolName      = "gen_ai.tool.name"

	// Operations, which also begin the names of their spans.
	OperationInvokeAgent = "invoke_agent"
	OperationChat        = "chat"
	OperationExecuteTool = "execute_tool"
	OperationEmbeddings  = "embeddings"

	// Ours: the conventions have none for these.
	RequestID     = "parley.request.id"
	SearchMethod  = "parley.search.method"
	PassagesFound = "parley.search.passages"
	SpanSearch    = "search passages"
	SpanRerank    = "rerank passages"
)
