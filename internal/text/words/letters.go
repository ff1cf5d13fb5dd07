package words

// foldLines lists letters that are folded into the first of their line: the accents of Latin, Greek and Cyrillic
// letters, and the forms of Arabic letters that writers use for each other.
const foldLines = `
aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ
bḃḅḇ
cçćĉċčḉ
dďḋḍḏḑḓđð
eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ
fḟ
gĝğġģǧǵḡ
hĥȟḣḥḧḩḫẖħ
iìíîïĩīĭįǐȉȋḭḯỉịı
jĵǰ
kķǩḱḳḵ
lĺļľḷḹḻḽł
mḿṁṃ
nñńņňǹṅṇṉṋ
oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợø
pṕṗ
rŕŗřȑȓṙṛṝṟ
sśŝşšșṡṣṥṧṩ
tţťțṫṭṯṱẗŧ
uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự
vṽṿ
wŵẁẃẅẇẉẘ
xẋẍ
yýÿŷȳẏẙỳỵỷỹ
zźżžẑẓẕ
··
æǣǽ
øǿ
ſẛ
ʒǯ
αά
εέ
ηή
ιίΐϊ
οό
σς
υύϋΰ
ωώ
гѓ
еѐё
иѝ
кќ
уў
ії
اأإآٱ
يىئ
هة
وؤ
كک
`

// foldedPairs are letters that are folded into two.
var foldedPairs = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th"}
