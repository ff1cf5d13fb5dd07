package quote

import (
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/words"
)

// toolTexts are the sentences about tools that the built-in model has in a language.
type toolTexts struct {
	needInputs    [2]string // around the list of inputs that a call lacks
	listSeparator string    // between the parts of a list
	resultEmpty   string    // a result that says nothing
	callFailed    string    // a call that failed; the reason follows
	resultMissing string    // a call that got no result
}

var toolTextsByLanguage = textsByLanguage[toolTexts]{
	words.English: {[2]string{"To go on I need: ", "."}, ", ", "Done.", "That did not work",
		"That was not done: no result came."},
	words.German: {[2]string{"Um fortzufahren, brauche ich: ", "."}, ", ", "Erledigt.", "Das hat nicht geklappt",
		"Das wurde nicht ausgeführt: Es kam kein Ergebnis."},
	words.Spanish: {[2]string{"Para continuar necesito: ", "."}, ", ", "Hecho.", "Eso no ha funcionado",
		"No se ha hecho: no llegó ningún resultado."},
	words.French: {[2]string{"Pour continuer, j'ai besoin de : ", "."}, ", ", "C'est fait.", "Cela n'a pas fonctionné",
		"Cela n'a pas été fait : aucun résultat n'est arrivé."},
	words.Italian: {[2]string{"Per continuare ho bisogno di: ", "."}, ", ", "Fatto.", "Non ha funzionato",
		"Non è stato fatto: non è arrivato alcun risultato."},
	words.Portuguese: {[2]string{"Para continuar, preciso de: ", "."}, ", ", "Feito.", "Isso não funcionou",
		"Isso não foi feito: não chegou nenhum resultado."},
	words.Dutch: {[2]string{"Om verder te gaan heb ik nodig: ", "."}, ", ", "Gedaan.", "Dat is niet gelukt",
		"Dat is niet gedaan: er kwam geen resultaat."},
	words.Russian: {[2]string{"Чтобы продолжить, мне нужно: ", "."}, ", ", "Готово.", "Это не получилось",
		"Это не сделано: результат не пришёл."},
	words.Arabic:   {[2]string{"للمتابعة أحتاج إلى: ", "."}, "، ", "تم.", "لم ينجح ذلك", "لم يتم ذلك: لم تصل أي نتيجة."},
	words.Chinese:  {[2]string{"要继续，我需要：", "。"}, "、", "已完成。", "操作没有成功", "没有执行：没有收到结果。"},
	words.Japanese: {[2]string{"続けるには次の情報が必要です：", "。"}, "、", "完了しました。", "うまくいきませんでした", "実行されませんでした。結果が届いていません。"},
}

func inputQuestion(l words.Language, missing []toolInput) string {
	d := toolTextsByLanguage.in(l)
	labels := make([]string, len(missing))
	for i, in := range missing {
		labels[i] = in.label()
	}
	return d.needInputs[0] + strings.Join(labels, d.listSeparator) + d.needInputs[1]
}

// label returns what the input is called, with its choices.
func (t toolInput) label() string {
	label := t.shortDescription
	if label == "" {
		label = t.plainName()
	}
	if len(t.choices) == 0 {
		return label
	}
	choices := make([]string, len(t.choices))
	for i, c := range t.choices {
		choices[i] = displayValue(c)
	}
	return label + " (" + strings.Join(choices, ", ") + ")"
}

func (t toolInput) plainName() string { return strings.Join(splitNameWords(t.name), " ") }

// AsksForInputs reports whether the text is how the built-in model asks for inputs that a call lacks. The message
// before it went to a tool, so that it says nothing of what later questions are about.
func AsksForInputs(text string) bool {
	for _, d := range toolTextsByLanguage {
		if _, ok := d.parseInputQuestion(text); ok {
			return true
		}
	}
	return false
}

func (t toolTexts) parseInputQuestion(text string) (string, bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), t.needInputs[0])
	text, ends := strings.CutSuffix(text, t.needInputs[1])
	return text, begins && ends
}

// parseRequestedInputs returns the inputs that the question asks for; ok is false where it is no question of this tool.
func (cd *callDraft) parseRequestedInputs(text string) (all []toolInput, ok bool) {
	for _, d := range toolTextsByLanguage {
		if list, ok := d.parseInputQuestion(text); ok {
			return matchLabels(cd.inputs, list, d.listSeparator, map[[2]int]bool{})
		}
	}
	return nil, false
}

// matchLabels reads the list as labels of the inputs, in their order. A label may hold commas and may begin like
// another, so that what leads nowhere is noted, by how much of either was left.
func matchLabels(inputs []toolInput, list, comma string, deadEnds map[[2]int]bool) (all []toolInput, ok bool) {
	here := [2]int{len(inputs), len(list)}
	if deadEnds[here] {
		return nil, false
	}
	for i, in := range inputs {
		rest, begins := strings.CutPrefix(list, in.label())
		if !in.required || !begins {
			continue
		}
		if rest == "" {
			return []toolInput{in}, true
		}
		if rest, begins = strings.CutPrefix(rest, comma); !begins {
			continue
		}
		if more, ok := matchLabels(inputs[i+1:], rest, comma, deadEnds); ok {
			return append([]toolInput{in}, more...), true
		}
	}
	deadEnds[here] = true
	return nil, false
}

// replyLanguage returns the one that the user last wrote in for sure, else the tool's, else the agent's.
func (cd *callDraft) replyLanguage(req model.Request) words.Language {
	own := []string{strings.Join(cd.tool.Triggers, " "), cd.tool.Description}
	return surestLanguage(slices.Concat(agentTexts(req), own, userTexts(req.Messages), cd.userTexts))
}

func isRedacted(text string) bool {
	return containsAny(text, "[email]", "[phone]", "[card]", "[id]")
}
