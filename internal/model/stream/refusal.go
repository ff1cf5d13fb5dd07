package stream

import (
	"strings"

	"parley/internal/text/words"
)

// maxRefusalBytes is how long an answer is, in bytes, that may still be a mere "I do not know". A longer one says
// something.
const maxRefusalBytes = 700

// isRefusalText reports whether an answer without evidence says that the sources do not hold it. Only the statistics
// use it: the answer stays as it is.
func isRefusalText(text string) bool {
	if len(text) > maxRefusalBytes {
		return false
	}
	text = strings.ReplaceAll(words.Fold(text), "’", "'")
	for _, phrase := range refusalPhrases {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// refusalPhrases are ways of saying so, folded, by language. They name who does not know: "if you do not know your
// password" is advice.
var refusalPhrases = func() (all []string) {
	for _, list := range []string{
		`i do not know|i don't know|i do not have|i don't have|i could not find|i couldn't find|i cannot find|i can't find|i was unable to find|i'm unable to|i am unable to|i cannot answer|i can't answer|
		sources do not|sources don't|passages do not|passages don't|documents do not|no information about|no information on|not covered in the|not mentioned in the|not in the sources|no sources`,
		`ich weiss es nicht|ich weiss das nicht|weiss ich nicht|weiss ich leider nicht|das weiss ich|ich habe dazu keine|ich habe keine information|ich habe leider keine|dazu habe ich keine|keine informationen|keine angaben|
		dazu nichts finden|nicht beantworten|liegen mir nicht vor|liegen mir keine|in den quellen steht`,
		`no lo se|no se la respuesta|no tengo informacion|no dispongo de|no encuentro|no he encontrado|no puedo ` +
			`responder|las fuentes no`,
		`je ne sais pas|je n'ai pas d'information|je n'ai pas trouve|je ne trouve pas|je ne dispose pas|je ne ` +
			`peux pas repondre|aucune information|les sources ne`,
		`non lo so|non ho informazioni|non ho trovato|non trovo|non dispongo di|non posso rispondere|le fonti non`,
		`nao sei|nao tenho informac|nao encontrei|nao consigo responder|nao posso responder|nao disponho de|as fontes nao`,
		`ik weet het niet|weet ik niet|geen informatie|ik kan dit niet beantwoorden|kan ik niet beantwoorden|` +
			`niet vinden in de`,
		`jag vet inte|jag hittar ing|jag har ingen information|jeg vet ikke|jeg ved ikke|jeg finner ingen|jeg ` +
			`kan ikke finde|jeg har ikke informa|en tieda|minulla ei ole tietoa|en loytanyt`,
		`bilmiyorum|bilgim yok|bilgi bulamadim|nie wiem|nie mam informacji|nie znalazl`,
		`я не знаю|не знаю|нет информации|не нашел|не нашла|не удалось найти|не могу ответить`,
		`لا اعرف|لا أعرف|لا املك معلومات|لا أملك معلومات|ليس لدي معلومات|لم اجد|لم أجد|لا استطيع الاجابة`,
		`我不知道|我不清楚|没有找到|未找到|找不到|没有相关信息|没有提到|无法回答|沒有找到|無法回答`,
		`わかりません|分かりません|見つかりません|情報がありません|お答えできません|모르겠습니다|알 수 없습니다|찾을 수 없|정보가 없`,
	} {
		for phrase := range strings.SplitSeq(list, "|") {
			all = append(all, words.Fold(strings.TrimSpace(phrase)))
		}
	}
	return all
}()
