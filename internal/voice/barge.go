package voice

import (
	"strings"
	"time"

	"parley/internal/words"
)

// patience is when voice over the agent counts. While it speaks the sound of the room, and its own, must not make it fall silent;
// while it thinks nobody loses anything by waiting.
type patience struct {
	hold   time.Duration // of voice after which the output is held
	sure   time.Duration // of voice that is more than a murmur: the output stays held until the words are known
	words  int           // that are enough, whatever is still said
	resume time.Duration // after which the output goes on where nothing has come of it
}

var (
	whileSpeaking = patience{hold: 200 * time.Millisecond, sure: 500 * time.Millisecond, words: 2, resume: 1500 * time.Millisecond}
	whileThinking = patience{sure: 500 * time.Millisecond, words: 1, resume: 1500 * time.Millisecond}
)

const (
	warmUp  = 2 * time.Second // of the agent's first sound, in which the browser learns to cancel its echo
	loudly  = time.Second     // of voice that counts even then
	forgets = 4 * time.Second // of held output with nothing but murmurs after it
)

// overlap is what the customer says while the agent thinks or speaks.
type overlap struct {
	patience
	speaking bool // the agent speaks; else it thinks
	guarded  bool // the agent has only begun to be heard: echo is likely
	held     bool
	ducked   bool
	since    time.Time // of being held
}

// sign is what is known of an overlap at a moment.
type sign struct {
	now    time.Time
	voiced time.Duration // how much voice there was
	on     bool          // the voice, or the search for its words, goes on
	text   string        // what was understood so far; may be empty
	final  bool          // nothing will be added to it
	echo   bool          // the text is what the agent is saying
}

// verdict is what to do about an overlap.
type verdict int

const (
	leaveIt verdict = iota // as it is
	duck                   // the agent speaks more softly
	hold                   // the agent is held
	yield                  // the agent stops: it was interrupted
	goOn                   // it was nothing: the agent speaks on
	ignore                 // it was nothing to answer, and the agent was never held
)

// judge decides. Ducking and holding cost nothing and come early; what was said is lost for good only when there are words.
func (o *overlap) judge(s sign) verdict {
	if o.guarded && s.voiced < loudly && !s.final {
		return leaveIt
	}
	murmured := s.text == "" || s.echo || murmurs(s.text)
	switch {
	case s.final && murmured:
		return o.nothing()
	case s.final:
		return yield
	case !murmured && (count(s.text) >= o.words || stops(s.text)):
		return yield
	case o.held && !s.on && s.voiced < o.sure && s.now.Sub(o.since) >= o.resume:
		return goOn
	case o.held && !s.on && s.now.Sub(o.since) >= forgets:
		return goOn
	case !o.held && s.on && s.voiced >= o.hold:
		return hold
	case !o.ducked && o.speaking && s.on && !o.held:
		return duck
	}
	return leaveIt
}

func (o *overlap) nothing() verdict {
	if o.held || o.ducked {
		return goOn
	}
	return ignore
}

// murmur are words of somebody who listens.
var murmur = wordSet("mhm mm mmm hm hmm hmmm uh huh uhhuh uhuh um aha ah oh yeah yep yup yes ok okay right sure i see got it cool great nice good fine wow alright all indeed exactly",
	"ja jaja genau gut klar aha achso ach so okay mhm stimmt verstehe schon", "oui ouais bien sur d'accord daccord ah bon voila exact", "si claro vale ya bueno entiendo", "si va bene certo capisco gia",
	"sim claro ta certo entendo", "ja goed oke precies", "да ага угу понятно хорошо", "はい うん ええ そう 嗯 好 对 是")

// stop are words that mean what they say, alone.
var stop = wordSet("stop wait no hold pause quiet enough halt warte warten nein moment stopp genug attendez attends non arretez stop espera espere para alto no basta aspetta ferma pare espera nao wacht nee стой подожди нет")

func wordSet(lines ...string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			set[words.Fold(word)] = true
		}
	}
	return set
}

// tokens are the folded words of a text.
func tokens(text string) []string { return strings.FieldsFunc(words.Fold(text), between) }

func between(r rune) bool {
	return !(r == '\'' || r > 127 || '0' <= r && r <= '9' || 'a' <= r && r <= 'z') || strings.ContainsRune("。、！？，…“”’«»–—¿¡", r)
}

func count(text string) int { return len(tokens(text)) }

// murmurs reports that a text has only words of somebody who listens.
func murmurs(text string) bool {
	all := tokens(text)
	for _, word := range all {
		if !murmur[word] {
			return false
		}
	}
	return len(all) <= 6
}

func stops(text string) bool {
	all := tokens(text)
	return len(all) > 0 && stop[all[0]]
}

// echoes reports that what was heard is what the agent is saying: most of its pairs of words are. One word or two say nothing of
// that, unless an echo is likely.
func echoes(heard, said string, likely bool) bool {
	h, s := tokens(heard), tokens(said)
	if len(h) < 3 {
		return likely && len(h) > 0 && !stop[h[0]] && strings.Contains(" "+strings.Join(s, " ")+" ", " "+strings.Join(h, " ")+" ")
	}
	pairs := map[string]bool{}
	for i := 1; i < len(s); i++ {
		pairs[s[i-1]+" "+s[i]] = true
	}
	same := 0
	for i := 1; i < len(h); i++ {
		if pairs[h[i-1]+" "+h[i]] {
			same++
		}
	}
	return same*10 >= (len(h)-1)*7
}
