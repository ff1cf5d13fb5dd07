module github.com/nyaruka/phonenumbers

go 1.26.0
