package words

import "strings"

// Synonyms returns the stems of words that people use instead of this one when they ask for help; nil for most words.
// Words that merely belong together are no synonyms.
func (l Language) Synonyms(stem string) []string {
	if l != English {
		return nil
	}
	return synonymsByStem[stem]
}

var synonymsByStem = func() map[string][]string {
	synonyms := map[string][]string{}
	for list := range strings.FieldsFuncSeq(englishSynonyms, func(r rune) bool { return r == '\n' || r == ',' }) {
		group := strings.Fields(list)
		for i := range group {
			group[i] = English.Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					synonyms[a] = append(synonyms[a], b)
				}
			}
		}
	}
	return synonyms
}()

// englishSynonyms lists groups of words, a line each, and at its end the forms of irregular verbs.
const englishSynonyms = `
delete remove erase discard trash
add create insert append new
photo photos picture image pic photograph
movie video clip film
document doc docs documents
message msg messages
email mail e-mail mails
login logon log sign signin
logout signout
register signup registration enroll
password passcode passphrase
pay payment paid
price cost fee charge pricing
buy purchase order
refund reimbursement reimburse
money cash funds
cancel terminate stop end
close deactivate disable shut
enable activate switch
change modify edit alter update adjust
rename relabel
fix repair solve resolve troubleshoot correct
error bug problem issue trouble fault failure
broken damaged defective faulty
fail crash
phone mobile cellphone smartphone telephone cell
computer pc laptop machine desktop
app application apps program software
web website site webpage
link url hyperlink
transfer move migrate migration
copy duplicate clone
import upload load
export download save
backup back-up
restore recover retrieve recovery undelete
share sharing send
find search locate look
show display view see
hide hidden hid conceal invisible
block ban blacklist
allow permit let enable
prevent avoid stop disallow
contact reach message communicate
support help assistance
begin start commence launch
finish complete end
split separate divide
merge combine join unite
sort order arrange
picture icon avatar
color colour coloured colored
text words
big large huge
small little tiny
fast quick speedy rapid
slow sluggish
safe secure security safety
private privacy confidential
free gratis complimentary
limit maximum cap quota
location place position
country nation
city town
company business firm organization organisation
job work occupation profession
car automobile vehicle
doctor physician
child kid children kids
woman female women
man male men
kill murder
die death dead died
born birth
marry wife husband spouse married
win won winner victory
lose lost loss
war conflict battle
begin began origin
build built construct construction
make made produce manufacture
use usage utilize
ship shipping delivery deliver
return returns exchange
customer client
user member
employee worker staff
owner proprietor
folder directory
file files
spreadsheet sheet
calendar schedule
reminder alert notification notify
comment reply respond answer
post publish
facebook fb
youtube yt
twitter tweet
repository repo
info information details
settings preferences options configuration config
setup install installation
uninstall remove
subscribe subscription
unsubscribe opt-out
account profile
address addresses
verify confirm verification validate
2fa mfa factor
encrypt encryption encrypted
expire expiry expiration
automatic automatically auto
several multiple many
all every each
quit exit leave
author writer wrote written
movie film
song track music
tv television
teach teacher instructor
student pupil
illness disease sickness
medicine drug medication
begin initial first
forget forgot forgotten, send sent, find found, keep kept, hold held, leave left, sell sold, steal stolen stole,
break broke broken, choose chose chosen, take took taken, give gave given, get got gotten, see saw seen,
know knew known, grow grew grown, speak spoke spoken, run ran, sing sang sung, draw drew drawn, teach taught,
catch caught, bring brought, think thought, fight fought, feel felt, meet met
`
