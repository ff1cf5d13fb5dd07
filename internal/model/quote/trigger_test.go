package quote

import (
	"encoding/json"
	"parley/internal/model"
	"strings"
	"testing"
)

func inputSchemaOf(required string, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`)
}

// testTools is the tools of the tables below.
var testTools = []model.Tool{
	{Name: "track", Triggers: []string{"track order {number}", "where is my order {number}",
		"bestellung {number} verfolgen", "seguir pedido {number}", "suivre la commande {number}", "查询订单{number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "human", Triggers: []string{"talk to a human", "mit einem menschen sprechen", "hablar con una persona",
		"parler à un conseiller", "转人工", "human"},
		Parameters: inputSchemaOf(``, ``)},
	{Name: "weather", Triggers: []string{"weather in {city}", "wetter in {city}", "tiempo en {city}", "météo à {city}",
		"{city}的天气"}, Parameters: inputSchemaOf(`"city"`, `"city":{"type":"string"}`)},
	{Name: "cancel", Triggers: []string{"cancel my subscription", "abo kündigen", "cancelar suscripción",
		"résilier mon abonnement"}},
	{Name: "status", Triggers: []string{"order status"}},
	{Name: "transfer", Triggers: []string{"send {amount} euros to {recipient}"},
		Parameters: inputSchemaOf(`"amount","recipient"`, `"amount":{"type":"number"},"recipient":{"type":"string"}`)},
	{Name: "flight", Triggers: []string{"book flight from {from} to {to}"},
		Parameters: inputSchemaOf(`"from","to"`, `"from":{"type":"string"},"to":{"type":"string"}`)},
}

// calledTool returns the call or the question that answers a message, as "name {input}" or the text.
func calledTool(t *testing.T, req model.Request) string {
	t.Helper()
	r, ok := answerWithTools(req)
	switch {
	case !ok:
		return ""
	case r.toolCall != nil:
		if !json.Valid(r.toolCall.Input) || !strings.HasPrefix(r.toolCall.ID, "call_") {
			t.Errorf("%+v", r.toolCall)
		}
		return r.toolCall.Name + " " + string(r.toolCall.Input)
	}
	return r.text
}

func TestMessageWithTriggerCallsTool(t *testing.T) {
	const human, cancel, status = "human {}", "cancel {}", "status {}"
	testCalledTool(t, map[string]string{
		"track order 12345":                                     `track {"number":"12345"}`,
		"Track order #12345!":                                   `track {"number":"12345"}`,
		"Please track my order A-1234, thanks":                  `track {"number":"A-1234"}`,
		"Hi. Can you track the order with the number 778899?":   `track {"number":"778899"}`,
		"Where's my order 12345?":                               `track {"number":"12345"}`,
		"How can I track order 12345?":                          `track {"number":"12345"}`,
		"track my order, it's number 4711":                      `track {"number":"4711"}`,
		"Bitte die Bestellung 12345 verfolgen":                  `track {"number":"12345"}`,
		"Quiero seguir mi pedido 12345":                         `track {"number":"12345"}`,
		"Je voudrais suivre ma commande 12345, s'il vous plaît": `track {"number":"12345"}`,
		"请帮我查询一下我的订单12345":                                      `track {"number":"12345"}`,
		"I would like to talk to a human please":                human,
		"Can I talk to a real, live human?":                     human,
		"Can't I just talk to a human?":                         human,
		"No, I want to talk to a human":                         human,
		"I don't want a bot, let me talk to a human":            human,
		"I don't want to talk to a bot but to a human":          human,
		"I was wondering if I could talk to a human":            human,
		"Can I talk to a human or not?":                         human,
		"Is it possible to talk to a human?":                    human,
		"Is there a way to talk to a human?":                    human,
		"I have to talk to a human, can I?":                     human,
		"human please":                                          human,
		"HUMAN!":                                                human,
		"Ich möchte mit einem Menschen sprechen":                human,
		"Könnte ich bitte mit einem echten Menschen sprechen?":  human,
		"Quisiera hablar con una persona, por favor":            human,
		"Sí, quiero hablar con una persona":                     human,
		"Je veux parler à un conseiller":                        human,
		"我想转人工客服":                                               human,
		"能不能转人工？":                                               human,
		"对不起，我想转人工":                                             human,
		"What's the weather in Rome?":                           `weather {"city":"Rome"}`,
		"What is the weather like in Rio de Janeiro, please?":   `weather {"city":"Rio de Janeiro"}`,
		"Wie ist das Wetter in Berlin?":                         `weather {"city":"Berlin"}`,
		"¿Qué tiempo hace en Madrid?":                           `weather {"city":"Madrid"}`,
		"北京的天气怎么样？":                                             `weather {"city":"北京"}`,
		"I'd like to cancel my subscription":                    cancel,
		"Ich will mein Abo kündigen":                            cancel,
		"Je souhaite résilier mon abonnement":                   cancel,
		"What is my order status?":                              status,
		"order status":                                          status,
		"Send 20 euros to Ann":                                  `transfer {"amount":20,"recipient":"Ann"}`,
		"please send 1,250.50 euros to Bob because I owe him":   `transfer {"amount":1250.5,"recipient":"Bob"}`,
		"Book a flight from Paris to New York":                  `flight {"from":"Paris","to":"New York"}`,
	})
}

func TestMissingInputIsAskedFor(t *testing.T) {
	testCalledTool(t, map[string]string{
		"Please track my order":               "To go on I need: number.",
		"Where is my order?":                  "To go on I need: number.",
		"Ich will meine Bestellung verfolgen": "Um fortzufahren, brauche ich: number.",
		"Quiero seguir mi pedido":             "Para continuar necesito: number.",
		"Je veux suivre la commande":          "Pour continuer, j'ai besoin de : number.",
		"我想查询订单":                              "要继续，我需要：number。",
	})
}

func TestMessageThatOnlyMentionsTriggerCallsNothing(t *testing.T) {
	testCalledTool(t, map[string]string{
		"What is an order?":                                     "",
		"How do I track an order?":                              "",
		"How can I talk to a human?":                            "",
		"What happens if I cancel my subscription?":             "",
		"What does it cost to cancel my subscription?":          "",
		"If I cancel my subscription, do I get my money back?":  "",
		"Should I cancel my subscription?":                      "",
		"Am I talking to a human?":                              "",
		"Did you cancel my subscription?":                       "",
		"I cancelled my subscription last week":                 "",
		"Why was my order 12 cancelled?":                        "",
		"What is an order status?":                              "",
		"I do not want to talk to a human":                      "",
		"I don't want to talk to a human":                       "",
		"Please help me without talking to a human":             "",
		"Don't cancel my subscription!":                         "",
		"never cancel my subscription":                          "",
		"Instead of talking to a human I want to read the docs": "",
		"The human body is amazing and has many organs":         "",
		"I talk all day to my cat and it is surely not human":   "",
		"Ich möchte nicht mit einem Menschen sprechen":          "",
		"Ich will mein Abo nicht kündigen":                      "",
		"Wie kann ich mein Abo kündigen?":                       "",
		"Muss ich mein Abo kündigen?":                           "",
		"Was passiert, wenn ich mein Abo kündige?":              "",
		"No quiero hablar con una persona":                      "",
		"¿Cómo puedo cancelar mi suscripción?":                  "",
		"Ya hablé con una persona":                              "",
		"Je ne veux pas parler à un conseiller":                 "",
		"Comment résilier mon abonnement ?":                     "",
		"我不想转人工":                                                "",
		"怎么转人工？":                                                "",
		"什么是订单？":                                                "",
		"Hello!":                                                "",
		"Is there a human?":                                     "",
		"Is there an order status page?":                        "",
		"Does my subscription cancel itself?":                   "",
		"Would I have to cancel my subscription?":               "",
		"I was unable to cancel my subscription":                "",
		"I am considering cancelling my subscription":           "",
		"I want to know about cancelling my subscription":       "",
		"Do I have to talk to a human?":                         "",
		"Thanks for tracking order 12":                          "",
		"":                                                      "",
	})
}

// testCalledTool checks what each message leads to: a call, a question for inputs, or nothing.
func testCalledTool(t *testing.T, wanted map[string]string) {
	t.Helper()
	for message, want := range wanted {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: testTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// The phrases of the manual's examples.
func TestManualTriggers(t *testing.T) {
	one := func(name, required, properties string, triggers ...string) model.Tool {
		return model.Tool{Name: name, Triggers: triggers, Parameters: inputSchemaOf(required, properties)}
	}
	tools := []model.Tool{
		one("page", `"color"`, `"color":{"type":"string","enum":["red","blue"]}`, "make the page {color}"),
		one("lead", `"email"`, `"email":{"type":"string"},"name":{"type":"string"}`, "call me back", "my e-mail is {email}"),
		one("prices", ``, ``, "price list", "show me your prices"),
		one("search", `"query"`, `"query":{"type":"string"}`, "search the web for {query}"),
		one("refund", `"number"`, `"number":{"type":"string"}`, "I want my money back", "refund order {number}"),
		one("complain", ``, ``, "I want to complain"),
	}
	for message, want := range map[string]string{
		"Please make the page Blue":                    `page {"color":"blue"}`,
		"make the page green":                          "To go on I need: color (red, blue).",
		"My e-mail is ann@example.com.":                `lead {"email":"ann@example.com"}`,
		"Could you call me back?":                      "To go on I need: email.",
		"Show me your prices":                          "prices {}",
		"Do you have a price list?":                    "",
		"Can I see the price list?":                    "prices {}",
		"Search the web for cheap flights to New York": `search {"query":"cheap flights to New York"}`,
		"search the web":                               "To go on I need: query.",
		"I want my money back for order 77":            `refund {"number":"77"}`,
		"Refund order no. A-77 please":                 `refund {"number":"A-77"}`,
		"How long does it take to get my money back?":  "",
		"I'd like to complain about the delivery":      "complain {}",
		"I don't want to complain":                     "",
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: tools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestTheBestTriggerWins(t *testing.T) {
	tools := []model.Tool{{Name: "short", Triggers: []string{"cancel order"}}, {Name: "long",
		Triggers: []string{"cancel order and refund"}}, {Name: "other", Triggers: []string{"cancel order"}}}
	for message, want := range map[string]string{"Cancel my order and refund it": "long {}",
		"Cancel the order": "short {}"} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: tools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
