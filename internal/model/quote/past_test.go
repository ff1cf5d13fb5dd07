package quote

import (
	"parley/internal/model"
	"testing"
)

// orderTools is the tools of the tables below.
var orderTools = []model.Tool{
	{Name: "track", Triggers: []string{"track order {number}", "bestellung {number} verfolgen", "查询订单{number}",
		"تتبع الطلب {number}", "注文{number}を確認", "suivre la commande {number}",
		"traccia ordine {number}", "seguir pedido {number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "cancel", Triggers: []string{"cancel order {number}", "bestellung {number} stornieren", "注文{number}をキャンセル",
		"取消订单{number}", "annuler la commande {number}", "annulla ordine {number}", "cancelar pedido {number}"},
		Parameters: inputSchemaOf(`"number"`, `"number":{"type":"string"}`)},
	{Name: "human", Triggers: []string{"talk to a human", "speak to a person", "mit einem menschen sprechen", "转人工",
		"hablar con una persona", "parler à un conseiller"}},
}

func TestTellingIsNoAsking(t *testing.T) {
	const track, cancel, human = `track {"number":"4711"}`, `cancel {"number":"4711"}`, "human {}"
	for message, want := range map[string]string{
		// denied
		"لا أريد تتبع الطلب 4711":                             "",
		"لا تتبع الطلب 4711":                                  "",
		"لم أطلب تتبع الطلب 4711":                             "",
		"أريد تتبع الطلب 4711":                                track,
		"تتبع الطلب 4711 من فضلك":                             track,
		"لا، أريد تتبع الطلب 4711":                            track,
		"I'd hate to talk to a human":                         "",
		"I hate having to speak to a person":                  "",
		"I hate talking to a human":                           "",
		"I hate it when I have to talk to a human":            "",
		"Ich hasse es, mit einem Menschen sprechen zu müssen": "",
		"Odio hablar con una persona":                         "",
		"Je déteste parler à un conseiller":                   "",
		"I hate this bot, talk to a human":                    human,
		"I hate waiting, let me talk to a human":              human,
		"I hate waiting so please let me talk to a human":     human,
		"I hate bots and want to talk to a human":             human,

		// done
		"我已经查询订单4711了":                                          "",
		"我查询了订单4711":                                            "",
		"我刚刚取消订单4711":                                           "",
		"我取消订单4711了":                                            "",
		"我想取消订单4711了":                                           cancel,
		"我已经付款了，请查询订单4711":                                      track,
		"我已经付款了请查询订单4711":                                       track,
		"我要查询订单4711":                                            track,
		"查询订单4711":                                              track,
		"注文4711をキャンセルしました":                                      "",
		"注文4711をキャンセルした":                                        "",
		"注文4711をキャンセル済みです":                                      "",
		"注文4711をキャンセルされました":                                     "",
		"注文4711をキャンセルしたいです":                                     cancel,
		"注文4711をキャンセルしてください":                                    cancel,
		"注文4711をキャンセルしたいのですが":                                   cancel,
		"困りました、注文4711をキャンセルお願いします":                              cancel,
		"Meine Schwester hat Bestellung 4711 stornieren lassen": "",
		"Ich habe die Bestellung 4711 stornieren wollen":        "",
		"Ich habe Bestellung 4711 storniert":                    "",
		"Ich habe Bestellung 4711 verfolgt":                     "",
		"Ich will Bestellung 4711 stornieren lassen":            cancel,
		"Ich möchte Bestellung 4711 stornieren lassen":          cancel,
		"Bitte Bestellung 4711 stornieren":                      cancel,
		"Ich hätte gern Bestellung 4711 stornieren lassen":      cancel,
		"J'ai fait annuler la commande 4711":                    "",
		"Je viens d'annuler la commande 4711":                   "",
		"Acabo de cancelar el pedido 4711":                      "",
		"I had to cancel order 4711":                            "",
		"I was about to cancel order 4711":                      "",
		"I used to talk to a human":                             "",
		"I was hoping to talk to a human":                       human,
		"I'm going to cancel order 4711":                        cancel,

		// reported or taken back
		"I was told to track order 4711 but I changed my mind": "",
		"I wanted to track order 4711, but never mind":         "",
		"Please track order 4711 but quickly":                  track,
		"Cancel order 4711, I changed my mind":                 cancel,
		"I changed my mind, cancel order 4711":                 cancel,
		`He said "talk to a human" and left`:                   "",
		"He said talk to a human and left":                     "",
		`"Talk to a human", she said`:                          "",
		`Er sagte „mit einem Menschen sprechen“ und ging`:      "",
		`A button called "talk to a human" is missing`:         "",
		`I said "talk to a human"!`:                            human,
		`"talk to a human"`:                                    human,
		"他说转人工":                                                "",
	} {
		if got := calledTool(t, model.Request{Messages: userMessages(message), Tools: orderTools}); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
