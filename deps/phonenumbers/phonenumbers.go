// Package phonenumbers is in place of github.com/nyaruka/phonenumbers, by which LiveKit tells the kind of a number that
// a telephone call comes from. Here are no such calls; but a program that imports that package has the names of all
// regions in all languages, since it makes a table of them when it starts.
package phonenumbers

import "errors"

// PhoneNumber is a number that was read, which never happens.
type PhoneNumber struct{}

// PhoneNumberType is the kind of a number.
type PhoneNumberType int

// The kinds that LiveKit asks for.
const (
	FIXED_LINE PhoneNumberType = iota
	MOBILE
	FIXED_LINE_OR_MOBILE
	TOLL_FREE
	UNKNOWN
)

// Parse fails.
func Parse(string, string) (*PhoneNumber, error) {
	return nil, errors.New("this program reads no telephone numbers")
}

// GetRegionCodeForNumber returns nothing.
func GetRegionCodeForNumber(*PhoneNumber) string { return "" }

// GetNationalSignificantNumber returns nothing.
func GetNationalSignificantNumber(*PhoneNumber) string { return "" }

// GetNumberType returns UNKNOWN.
func GetNumberType(*PhoneNumber) PhoneNumberType { return UNKNOWN }
