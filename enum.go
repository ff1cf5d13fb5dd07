package parley

// Enumerations that have no type of their own.

// Priorities lists how urgent a ticket can be. The first one means that nobody has judged it yet.
func Priorities() []string { return []string{"none", "low", "normal", "high", "urgent"} }

// TicketMessageTypes lists what an entry of a ticket can be; the first two can be written, an event is recorded.
func TicketMessageTypes() []string { return []string{"reply", "note", "event"} }

// MessageRoles lists who a message can be from, as clients see it.
func MessageRoles() []string { return []string{"user", "assistant"} }

// The ratings of an answer.
const (
	RatingPositive = "positive"
	RatingNegative = "negative"
)

// Ratings lists how an answer can be rated.
func Ratings() []string { return []string{RatingPositive, RatingNegative} }

// Visibilities lists who may reach an agent.
func Visibilities() []string { return []string{"public", "private"} }

// InstructionChannels lists the channels that can have instructions of their own.
func InstructionChannels() []string {
	return []string{
		"chat_widget", "help_page", "center_stage", "side_panel", "slack", "whatsapp", "messenger", "instagram",
		"salesforce", "zendesk", "zendesk_messaging", "api", "email", "android_sdk", "ios_sdk", "phone", "search",
	}
}

// TranscriberModels lists the models for understanding speech that an agent can be set to.
func TranscriberModels() []string {
	return []string{
		"elevenlabs/scribe_v2_realtime", "cartesia/ink-2", "cartesia/ink-whisper", "deepgram/nova-3", "deepgram/nova-2",
		"deepgram/flux-general-multi", "soniox/stt-rt-v5", "soniox/stt-rt-v4", "hamsa/hamsa-ar",
	}
}

// FontFamilies lists the fonts of center stage.
func FontFamilies() []string { return []string{"Inter", "System", "Arial", "Helvetica", "Georgia"} }

// enumValues holds the values of each enumeration under the name by which struct tags refer to it: enum:"@priority".
var enumValues = map[string][]string{
	"actionKind":         names(ActionKinds()),
	"agentStatus":        names(AgentStatuses()),
	"answerState":        names(AnswerStates()),
	"attributeType":      names(AttributeTypes()),
	"channel":            names(Channels()),
	"chatWireFormat":     names(ChatWireFormats()),
	"conversationStatus": names(ConversationStatuses()),
	"deliveryState":      names(DeliveryStates()),
	"fontFamily":         FontFamilies(),
	"insightGroup":       names(InsightGroups()),
	"instructionChannel": InstructionChannels(),
	"messageRole":        MessageRoles(),
	"messengerChannel":   names(MessengerChannels()),
	"modelServerKind":    names(ModelServerKinds()),
	"priority":           Priorities(),
	"rating":             Ratings(),
	"role":               names(Roles()),
	"sentiment":          names(Sentiments()),
	"signInWay":          names(SignInWays()),
	"sourceKind":         names(SourceKinds()),
	"sourceStatus":       names(SourceStatuses()),
	"statusCategory":     names(StatusCategories()),
	"stepOperator":       StepOperators(),
	"strategy":           names(Strategies()),
	"ticketChannel":      names(TicketChannels()),
	"ticketMessageType":  TicketMessageTypes(),
	"ticketWrittenType":  TicketMessageTypes()[:2],
	"transcriberModel":   TranscriberModels(),
	"visibility":         Visibilities(),
	"webhookEvent":       names(WebhookEvents()),
	"publicWebhookEvent": names(publicWebhookEvents),
}

// EnumValues returns the values of the enumeration that a struct tag names, or nil when there is none of that name.
func EnumValues(name string) []string { return enumValues[name] }

func names[S ~string](values []S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
