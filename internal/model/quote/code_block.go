package quote

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// Code is quoted to those who ask about code. To anybody else its keys and examples only look like an answer: "name:
// Opening hours".

// codeTopicWords are those of questions about code, configuration and commands, folded; what is written like a name of
// code is one, too.
var codeTopicWords = words.NewSet(`api argument arguments bash body call cli code command commands config configuration
	configure configured console curl docker endpoint endpoints env environment example examples field fields file files
	flag flags format function header headers html http https import install json key keys line loop manifest manifests
	markdown method option options output parameter parameters payload property properties python javascript java php
	ruby query request requests response run script scripts sdk setting settings shell snippet sql syntax template
	terminal url variable variables webhook write xml yaml yml abfrage anfrage aufruf aufrufen befehl befehle beispiel
	beispiele datei dateien einstellung einstellungen feld felder konfiguration konfigurieren kopfzeile schlussel skript
	umgebungsvariable variablen archivo archivos campo campos clave comando comandos configuracion configurar ejemplo
	ejemplos fichero peticion solicitud champ champs cle commande commandes exemple exemples fichier fichiers parametre
	parametres requete reglage comandi esempio esempi richiesta chiave configurazione exemplo exemplos arquivo arquivos
	configuracao chave opdracht voorbeeld voorbeelden bestand bestanden instelling instellingen код команда команды
	пример примеры файл файлы настройка параметр запрос`)

var codeTopicWordsUnspaced = []string{"代码", "配置", "命令", "示例", "例子", "文件", "参数", "字段", "请求", "コード", "設定", "コマンド", "例",
	"ファイル"}

// codeNotationPattern finds words that only code has: `name`, --flag, some_name, someName, /a/path, name.ext, {…}.
var codeNotationPattern = regexp.MustCompile(
	"`|(^|\\s)--?[a-z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z][a-z][A-Z]|(^|\\s)/[a-z]|\\w\\.[a-z]{2,4}\\b|[{}<>=]")

// isAboutCode reports whether the question is about code, configuration or a command, or how something is done, which a
// command may answer.
func (q *parsedQuestion) isAboutCode() bool {
	if q.wantsSteps || codeNotationPattern.MatchString(q.originalText) ||
		containsAny(q.originalText, codeTopicWordsUnspaced...) || len(findCodes(q.originalText)) > 0 {
		return true
	}
	return containsWord(q.foldedText, func(w string) bool { return codeTopicWords[w] })
}

func stripCodeBlocks(text string, blocks []markdown.Block) string {
	if !slices.ContainsFunc(blocks, isCodeBlock) {
		return text
	}
	var b strings.Builder
	at := 0
	for _, c := range blocks {
		if isCodeBlock(c) {
			b.WriteString(text[at:c.Start])
			at = c.End
		}
	}
	return b.String() + text[at:]
}

func isCodeBlock(b markdown.Block) bool { return b.Kind == markdown.Code }

// shareOutsideCode returns how much of what the passage holds of the question is outside its code, 0 to 1; 1 if
// the question is about code.
func (q *parsedQuestion) shareOutsideCode(p model.Passage) float64 {
	if q.wantsCode {
		return 1
	}
	plain := stripCodeBlocks(p.Text, parseBlocks(p.Text))
	if plain == p.Text {
		return 1
	}
	title := mergeMatches(q.matchText(p.Heading), q.matchText(p.SourceName))
	if all := q.matchedShare(mergeMatches(title, q.matchText(p.Text)), q.isSingleWord); all > 0 {
		return q.matchedShare(mergeMatches(title, q.matchText(plain)), q.isSingleWord) / all
	}
	return 1
}

// scoredUnitText returns what of a unit counts: of code with the line that leads to it the line alone, where the
// question is not about code.
func (p *passageLayout) scoredUnitText(t *parsedQuestion, u quotableUnit) string {
	if last := p.blocks[u.lastBlock]; !t.wantsCode && isCodeBlock(last) && last.Start > u.start {
		return p.text[u.start:last.Start]
	}
	return p.text[u.start:u.end]
}

// parseBlocks returns the blocks of a passage. One that was cut out of code begins with the rest of it.
func parseBlocks(text string) []markdown.Block {
	end := leadingCodeEnd(text)
	if end == 0 {
		return markdown.Blocks(text)
	}
	blocks := []markdown.Block{{Kind: markdown.Code, End: len(strings.TrimRight(text[:end], "\r\n"))}}
	for _, b := range markdown.Blocks(text[end:]) {
		b.Start, b.End, b.ContentStart = b.Start+end, b.End+end, b.ContentStart+end
		blocks = append(blocks, b)
	}
	return blocks
}

// leadingCodeEnd returns where the code ends that the text begins in the middle of, 0 if it does not: behind a fence
// that ends code and before which there is none, or at the end of lines that are all of the form of code.
func leadingCodeEnd(text string) int {
	at, before := 0, ""
	for line := range strings.Lines(text) {
		at += len(line)
		if body := strings.TrimSpace(line); strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
			if strings.Trim(body, body[:1]) == "" && before != "" {
				return at
			}
			return 0
		}
		before = strings.TrimSpace(line)
	}
	if looksLikeCode(text) {
		return len(text)
	}
	return 0
}

const (
	minCodeLines = 4   // of which no form shows
	minCodeShare = 0.7 // of the lines
)

// codeLinePattern is the form of a line of configuration or of a program: a key with its value, brackets, the end of a
// statement, a comment.
var codeLinePattern = regexp.MustCompile(`^\s*(-\s+)?[\w.$"'-]+\s*[:=](\s|$)|^\s+-\s|[{}\[\](;,\\]\s*$|` +
	`^\s*[{}\[\])]|^\s*(#|//|\$ )|^(\s{4}|\t)`)

// looksLikeCode reports whether most lines of the text have the form of code, and the text begins in the middle of it:
// a line is indented.
func looksLikeCode(text string) bool {
	lines, code, deep := 0, 0, false
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if codeLinePattern.MatchString(strings.TrimRight(line, "\r\n")) {
			code++
		}
		deep = deep || line[0] == ' ' || line[0] == '\t'
	}
	return deep && lines >= minCodeLines && float64(code) >= minCodeShare*float64(lines)
}
