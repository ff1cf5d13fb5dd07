package insight

import (
	"testing"

	"parley"
)

func TestSentiment(t *testing.T) {
	const none = parley.Sentiment("")
	for _, c := range []struct {
		want  parley.Sentiment
		texts []string
	}{
		{parley.SentimentPositive, []string{"This is great, thank you so much!"}},
		{parley.SentimentPositive, []string{"How do I return my shoes?", "Perfect, that was very helpful"}},
		{parley.SentimentPositive, []string{"I love your app"}},
		{parley.SentimentPositive, []string{"not bad at all, it works now"}},
		{parley.SentimentPositive, []string{"The first answer was confusing, but now it works perfectly. Excellent!"}},
		{parley.SentimentPositive, []string{"Awesome"}},
		{parley.SentimentPositive, []string{"you guys are the best, really appreciate it"}},
		{parley.SentimentNegative, []string{"This is terrible. I have been waiting for three weeks!"}},
		{parley.SentimentNegative, []string{"I'm not happy with this at all"}},
		{parley.SentimentNegative, []string{"Your service is useless and the agent was rude"}},
		{parley.SentimentNegative, []string{"Where is my parcel?", "That did not help", "What a joke, I want my money back"}},
		{parley.SentimentNegative, []string{"thanks for nothing"}},
		{parley.SentimentNegative, []string{"I am very disappointed"}},
		{parley.SentimentNegative, []string{"worst company ever, never again"}},
		{parley.SentimentNegative, []string{"The food was good but the delivery was awful"}},
		{parley.SentimentNegative, []string{"This sucks"}},
		{parley.SentimentNeutral, []string{"When does the shop open on Saturdays?"}},
		{parley.SentimentNeutral, []string{"I would like to change my delivery address"}},
		{parley.SentimentNeutral, []string{"How do I cancel my order?"}},
		{parley.SentimentNeutral, []string{"I get the error 404 when I log in, how can I fix that"}},
		{parley.SentimentNeutral, []string{"What is the best way to contact you?"}},
		{parley.SentimentNeutral, []string{"Do you have hard copies of the invoice?"}},
		{parley.SentimentNeutral, []string{"Good morning, what kind of plans do you have?"}},
		{none, nil},
		{none, []string{""}},
		{none, []string{"12345"}},
		{none, []string{"ok"}},
		{none, []string{"Wie kann ich das zurückgeben? Das ist wirklich furchtbar"}},
		{none, []string{"¡Esto es horrible! ¿Dónde está mi pedido?"}},
		{none, []string{"これは最悪です"}},
		{none, []string{"I love the product, it is amazing", "the support is terrible, I hate it"}},
	} {
		if got := sentimentOf(c.texts); got != c.want {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}
