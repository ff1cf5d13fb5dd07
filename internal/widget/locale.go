package widget

import (
	"net/http"

	"golang.org/x/text/language"
)

// locale is a language of the chat.
type locale struct {
	name        string
	unavailable string // says that there is no chat
}

// locales are the languages of the chat, the one without another choice first.
var locales = []locale{
	{"en", "This chat is not available."},
	{"ar", "هذه الدردشة غير متاحة."},
	{"de", "Dieser Chat ist nicht verfügbar."},
	{"es", "Este chat no está disponible."},
	{"fr", "Cette discussion n’est pas disponible."},
	{"he", "הצ׳אט הזה אינו זמין."},
	{"hi", "यह चैट उपलब्ध नहीं है।"},
	{"id", "Obrolan ini tidak tersedia."},
	{"it", "Questa chat non è disponibile."},
	{"ja", "このチャットはご利用いただけません。"},
	{"ko", "이 채팅을 이용할 수 없습니다."},
	{"nl", "Deze chat is niet beschikbaar."},
	{"pl", "Ten czat jest niedostępny."},
	{"pt-BR", "Este chat não está disponível."},
	{"ru", "Этот чат недоступен."},
	{"sv", "Den här chatten är inte tillgänglig."},
	{"tr", "Bu sohbet kullanılamıyor."},
	{"uk", "Цей чат недоступний."},
	{"vi", "Cuộc trò chuyện này không khả dụng."},
	{"zh-Hans", "此聊天不可用。"},
}

var localeMatcher = newLocaleMatcher()

func newLocaleMatcher() language.Matcher {
	tags := make([]language.Tag, len(locales))
	for i := range locales {
		tags[i] = language.MustParse(locales[i].name)
	}
	return language.NewMatcher(tags)
}

// chooseLocale returns the language in which the page begins: the one that is asked for, else the browser's. The page
// itself may know better, by the language of what it is embedded in.
func chooseLocale(r *http.Request) *locale {
	_, at := language.MatchStrings(localeMatcher, r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	return &locales[at]
}

// direction returns the direction in which the language is written.
func (l *locale) direction() string {
	if l.name == "ar" || l.name == "he" {
		return "rtl"
	}
	return "ltr"
}
