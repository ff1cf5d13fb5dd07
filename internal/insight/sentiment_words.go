package insight

import (
	"sync"

	"parley/internal/text/words"
)

// valence is how strongly an English word speaks, from -4 to 4, by its stem. Words of everyday trouble (problem, error,
// cancel) weigh little: most customers name one without being angry.
var valence = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{}
	for v, list := range valenceLists {
		for w := range setOf(list) {
			all[words.English.Stem(w)] = v
		}
	}
	return all
})

var valenceLists = map[float64]string{
	3: `awesome amazing excellent fantastic wonderful brilliant outstanding superb perfect love adore ` +
		`delighted thrilled incredible flawless phenomenal`,
	2.2: `great happy glad helpful pleased impressed enjoy enjoyed satisfied grateful appreciate appreciated ` +
		`lovely beautiful best easy smooth friendly superbly kudos yay`,
	1.4: `good nice cool works worked solved resolved fixed thank thanks thx cheers quick fast like liked fine ` +
		`polite comfortable reliable recommend welcome sweet neat haha`,
	-0.6: `problem issue error wrong broken missing late delay delayed fail failed fails failing unable stuck ` +
		`lost cancel complaint complain confused confusing damaged sorry refused denied blocked`,
	-1.6: `bad annoying annoyed annoys disappointed disappointing disappointment unhappy slow poor sad upset frustrating
		frustrated frustration hard useless unhelpful worse wasted waste
		unreliable fed unacceptable rude ignored sick mess misleading overcharged ripped difficult lousy buggy tired
		ridiculous nonsense unfair`,
	-2.8: `terrible horrible awful worst hate hated angry furious disgusting disgusted disgrace scam scammed fraud garbage
		crap rubbish pathetic appalling atrocious outrageous stupid idiot
		idiots incompetent disaster joke liar liars lies shit damn hell wtf dreadful abysmal shameful nightmare crappy sucks
		suck trash livid`,
}

var (
	negations = setOf(`not no never nothing nobody none neither nor cannot cant can't dont don't doesnt ` +
		`doesn't didnt didn't isnt isn't wasnt wasn't arent aren't werent weren't wont won't wouldnt wouldn't ` +
		`couldnt couldn't shouldnt shouldn't hasnt hasn't havent haven't hardly barely without t`)
	intensifiers = setOf(`very really so extremely absolutely totally completely incredibly super utterly too ` +
		`such truly fucking bloody damn most highly`)
	weakeners = setOf(`slightly somewhat bit little kinda sort kind fairly almost`)
)

// phraseValence are groups of words that say another thing than their words.
var phraseValence = map[string]float64{
	"not working": -0.6, "no problem": 1, "no problems": 1, "no worries": 1, "no issue": 0.6, "no issues": 0.8,
	"well done": 2.2, "good job": 2.2, "great job": 2.4, "fed up": -2.4,
	"waste of time": -2.6, "waste of money": -2.6, "rip off": -2.6, "not bad": 1, "thank god": 1.5, "no thanks": 0,
	"no thank you": 0, "no good": -1.6, "what a joke": -2.8,
	"makes no sense": -1.4, "never again": -2.6, "at last": 0.4, "how do you like": 0, "would like": 0, "i d like": 0,
	"like to": 0, "feel like": 0, "looks like": 0, "look like": 0,
	"something like": 0, "good morning": 0.2, "good evening": 0.2, "good afternoon": 0.2, "good day": 0.2,
	"had enough": -2.2, "best way": 0, "best time": 0, "how fast": 0, "how hard": 0,
	"what kind": 0, "thanks for nothing": -3, "so sorry": 0, "is it good": 0, "fine print": 0, "a fine": 0,
	"works for me": 1.6, "how long": 0, "not happy": -2.2, "you suck": -3,
	"hard drive": 0, "hard copy": 0, "hard copies": 0, "lost and found": 0, "not helpful": -2.2, "not good": -1.8,
	"not great": -1.4, "doesn't help": -1.4, "does not help": -1.4, "did not help": -1.6,
	"didn't help": -1.6, "no help": -1.8, "ask for a refund": 0,
}

func setOf(text string) map[string]bool { return words.NewSet(words.Fold(text)) }
