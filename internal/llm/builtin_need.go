package llm

import (
	"slices"
	"strings"

	"parley/internal/words"
)

// dealings are the sentences about tools that the built-in model has in a language.
type dealings struct {
	need   [2]string // around the list of inputs that a call lacks
	comma  string    // between the parts of a list
	done   string    // a result that says nothing
	failed string    // a call that failed; the reason follows
	undone string    // a call that got no result
}

var dealingsOf = map[words.Language]dealings{
	words.English: {[2]string{"To go on I need: ", "."}, ", ", "Done.", "That did not work", "That was not done: no result came."},
	words.German: {[2]string{"Um fortzufahren, brauche ich: ", "."}, ", ", "Erledigt.", "Das hat nicht geklappt",
		"Das wurde nicht ausgeführt: Es kam kein Ergebnis."},
	words.Spanish: {[2]string{"Para continuar necesito: ", "."}, ", ", "Hecho.", "Eso no ha funcionado", "No se ha hecho: no llegó ningún resultado."},
	words.French: {[2]string{"Pour continuer, j'ai besoin de : ", "."}, ", ", "C'est fait.", "Cela n'a pas fonctionné",
		"Cela n'a pas été fait : aucun résultat n'est arrivé."},
	words.Italian: {[2]string{"Per continuare ho bisogno di: ", "."}, ", ", "Fatto.", "Non ha funzionato", "Non è stato fatto: non è arrivato alcun risultato."},
	words.Portuguese: {[2]string{"Para continuar, preciso de: ", "."}, ", ", "Feito.", "Isso não funcionou",
		"Isso não foi feito: não chegou nenhum resultado."},
	words.Dutch:    {[2]string{"Om verder te gaan heb ik nodig: ", "."}, ", ", "Gedaan.", "Dat is niet gelukt", "Dat is niet gedaan: er kwam geen resultaat."},
	words.Russian:  {[2]string{"Чтобы продолжить, мне нужно: ", "."}, ", ", "Готово.", "Это не получилось", "Это не сделано: результат не пришёл."},
	words.Arabic:   {[2]string{"للمتابعة أحتاج إلى: ", "."}, "، ", "تم.", "لم ينجح ذلك", "لم يتم ذلك: لم تصل أي نتيجة."},
	words.Chinese:  {[2]string{"要继续，我需要：", "。"}, "、", "已完成。", "操作没有成功", "没有执行：没有收到结果。"},
	words.Japanese: {[2]string{"続けるには次の情報が必要です：", "。"}, "、", "完了しました。", "うまくいきませんでした", "実行されませんでした。結果が届いていません。"},
}

func dealingsIn(l words.Language) dealings { return inLanguage(dealingsOf, l) }

// question asks for inputs in one sentence.
func question(l words.Language, missing []input) string {
	d := dealingsIn(l)
	labels := make([]string, len(missing))
	for i, in := range missing {
		labels[i] = in.label()
	}
	return d.need[0] + strings.Join(labels, d.comma) + d.need[1]
}

// label is what the input is called, with its choices.
func (in input) label() string {
	label := in.called
	if label == "" {
		label = in.plainName()
	}
	if len(in.choices) == 0 {
		return label
	}
	choices := make([]string, len(in.choices))
	for i, c := range in.choices {
		choices[i] = plainValue(c)
	}
	return label + " (" + strings.Join(choices, ", ") + ")"
}

func (in input) plainName() string { return strings.Join(nameWords(in.name), " ") }

// AsksForInputs reports that the text is how the built-in model asks for inputs that a call lacks. The message before it went to a
// tool, so that it says nothing of what later questions are about.
func AsksForInputs(text string) bool {
	for _, d := range dealingsOf {
		if _, ok := d.list(text); ok {
			return true
		}
	}
	return false
}

// list gives what the question asks for.
func (d dealings) list(text string) (string, bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), d.need[0])
	text, ends := strings.CutSuffix(text, d.need[1])
	return text, begins && ends
}

// asked gives the inputs that the question asks for; ok is false where it is no question of this tool.
func (w *wish) asked(text string) (all []input, ok bool) {
	for _, d := range dealingsOf {
		if list, ok := d.list(text); ok {
			return w.listed(list, d.comma)
		}
	}
	return nil, false
}

// listed reads a list of labels, which stand in the order of the inputs.
func (w *wish) listed(list, comma string) (all []input, ok bool) {
	return labelled(w.inputs, list, comma, map[[2]int]bool{})
}

// labelled reads the list as labels of the inputs. A label may hold commas and may begin like another, so that what leads nowhere
// is noted, by how much of either was left.
func labelled(inputs []input, list, comma string, vain map[[2]int]bool) (all []input, ok bool) {
	here := [2]int{len(inputs), len(list)}
	if vain[here] {
		return nil, false
	}
	for i, in := range inputs {
		rest, begins := strings.CutPrefix(list, in.label())
		if !in.required || !begins {
			continue
		}
		if rest == "" {
			return []input{in}, true
		}
		if rest, begins = strings.CutPrefix(rest, comma); !begins {
			continue
		}
		if more, ok := labelled(inputs[i+1:], rest, comma, vain); ok {
			return append([]input{in}, more...), true
		}
	}
	vain[here] = true
	return nil, false
}

// language is the one that the user last wrote in for sure, else the tool's, else the agent's.
func (w *wish) language(req Request) words.Language {
	own := []string{strings.Join(w.tool.Triggers, " "), w.tool.Description}
	return surest(slices.Concat(agentTexts(req), own, asked(req.Messages), w.texts))
}

// isMasked reports that redaction took something out of the text.
func isMasked(text string) bool {
	return strings.Contains(text, "[email]") || strings.Contains(text, "[phone]") || strings.Contains(text, "[card]") || strings.Contains(text, "[id]")
}
