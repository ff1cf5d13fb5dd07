package insight

import (
	"testing"

	"parley"
)

func TestSentiment(t *testing.T) {
	const none = parley.Sentiment("")
	for _, c := range []struct {
		want parley.Sentiment
		said []string
	}{
		{parley.Positive, []string{"This is great, thank you so much!"}},
		{parley.Positive, []string{"How do I return my shoes?", "Perfect, that was very helpful"}},
		{parley.Positive, []string{"I love your app"}},
		{parley.Positive, []string{"not bad at all, it works now"}},
		{parley.Positive, []string{"The first answer was confusing, but now it works perfectly. Excellent!"}},
		{parley.Positive, []string{"Awesome"}},
		{parley.Positive, []string{"you guys are the best, really appreciate it"}},
		{parley.Negative, []string{"This is terrible. I have been waiting for three weeks!"}},
		{parley.Negative, []string{"I'm not happy with this at all"}},
		{parley.Negative, []string{"Your service is useless and the agent was rude"}},
		{parley.Negative, []string{"Where is my parcel?", "That did not help", "What a joke, I want my money back"}},
		{parley.Negative, []string{"thanks for nothing"}},
		{parley.Negative, []string{"I am very disappointed"}},
		{parley.Negative, []string{"worst company ever, never again"}},
		{parley.Negative, []string{"The food was good but the delivery was awful"}},
		{parley.Negative, []string{"This sucks"}},
		{parley.Neutral, []string{"When does the shop open on Saturdays?"}},
		{parley.Neutral, []string{"I would like to change my delivery address"}},
		{parley.Neutral, []string{"How do I cancel my order?"}},
		{parley.Neutral, []string{"I get the error 404 when I log in, how can I fix that"}},
		{parley.Neutral, []string{"What is the best way to contact you?"}},
		{parley.Neutral, []string{"Do you have hard copies of the invoice?"}},
		{parley.Neutral, []string{"Good morning, what kind of plans do you have?"}},
		{none, nil},
		{none, []string{""}},
		{none, []string{"12345"}},
		{none, []string{"ok"}},
		{none, []string{"Wie kann ich das zurückgeben? Das ist wirklich furchtbar"}},
		{none, []string{"¡Esto es horrible! ¿Dónde está mi pedido?"}},
		{none, []string{"これは最悪です"}},
		{none, []string{"I love the product, it is amazing", "the support is terrible, I hate it"}},
	} {
		if got := sentimentOf(c.said); got != c.want {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}
