package visitor

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley"
	"parley/internal/contact"
)

const (
	clockTolerance   = time.Minute
	maxTokenBytes    = 8 << 10
	maxMetadataChars = 1000
)

// Proof is what a page says of its user, and by what it shows that the site says so: a token, or a user id with a hash.
type Proof struct {
	Token    string // HS256 JWT, signed with the agent's secret
	UserID   string
	UserHash string // hex HMAC-SHA256 of UserID
}

// CutMetadata returns what a page says of its user, as far as it may be passed on.
func CutMetadata(text string) string {
	if text = strings.TrimSpace(parley.StorableText(text)); text == "null" {
		return ""
	}
	return parley.ClipText(text, maxMetadataChars)
}

// identity is who a site says its user is.
type identity struct {
	userID  parley.EndUserID
	contact contact.Change // of a token that says more than an id
	isNamed bool           // the token says more than an id
}

// Reason says why a proof was refused, for the page's developers.
type Reason string

// The reasons for refusing a proof.
const (
	ReasonExpired        Reason = "expired"
	ReasonBadSignature   Reason = "bad_signature"
	ReasonWrongAlgorithm Reason = "wrong_algorithm"
	ReasonNoUser         Reason = "no_user"
	ReasonMalformed      Reason = "malformed"
)

// refuse returns the error of a refused proof.
func refuse(reason Reason) error {
	e := parley.NewError(parley.CodeIdentityRefused)
	e.Details = map[string]string{"reason": string(reason)}
	return e
}

var endUserID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// check returns who the proof proves the user to be. Fails with AUTH_IDENTITY_REFUSED.
func (p Proof) check(secrets []string, now time.Time) (*identity, error) {
	if p.Token != "" {
		return readJWT(p.Token, secrets, now)
	}
	if !endUserID.MatchString(p.UserID) {
		return nil, refuse(ReasonNoUser)
	}
	sum, err := hex.DecodeString(p.UserHash)
	if err != nil {
		return nil, refuse(ReasonMalformed)
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(p.UserID))
		if hmac.Equal(sum, mac.Sum(nil)) {
			return &identity{userID: parley.EndUserID(p.UserID)}, nil
		}
	}
	return nil, refuse(ReasonBadSignature)
}

// userClaims are what a token says of the user.
type userClaims struct {
	jwt.RegisteredClaims
	UserID         userName                   `json:"user_id"`
	Subject        userName                   `json:"sub"`
	Email          *string                    `json:"email"`
	Name           *string                    `json:"name"`
	PhoneNumber    *string                    `json:"phonenumber"`
	Attributes     map[string]json.RawMessage `json:"custom_attributes"`
	StripeAccounts *json.RawMessage           `json:"stripe_accounts"`
}

// userName names a user in a token. Sites that number their users often sign the number as such: its digits are the
// name.
type userName string

var wholeNumber = regexp.MustCompile(`^[0-9]{1,19}$`)

// UnmarshalJSON implements json.Unmarshaler.
func (n *userName) UnmarshalJSON(data []byte) error {
	if wholeNumber.Match(data) {
		*n = userName(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(n))
}

func readJWT(token string, secrets []string, now time.Time) (*identity, error) {
	if len(token) > maxTokenBytes {
		return nil, refuse(ReasonMalformed)
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithLeeway(clockTolerance), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithIssuedAt())
	var claims userClaims
	keys := jwt.VerificationKeySet{}
	if len(secrets) == 0 {
		return nil, refuse(ReasonBadSignature)
	}
	for _, secret := range secrets {
		keys.Keys = append(keys.Keys, []byte(secret))
	}
	if _, err := parser.ParseWithClaims(token, &claims, func(t *jwt.Token) (any, error) {
		return keys, nil
	}); err != nil {
		return nil, refuse(jwtReason(token, err))
	}
	user := string(cmp.Or(claims.UserID, claims.Subject))
	if !endUserID.MatchString(user) {
		return nil, refuse(ReasonNoUser)
	}
	id := &identity{userID: parley.EndUserID(user), contact: contact.Change{ExternalID: user, Name: claims.Name,
		Email: claims.Email, Phone: claims.PhoneNumber, Attributes: claims.Attributes,
		StripeAccounts: claims.StripeAccounts}}
	id.isNamed = claims.Name != nil || claims.Email != nil || claims.PhoneNumber != nil || claims.Attributes != nil ||
		claims.StripeAccounts != nil
	return id, nil
}

// jwtReason returns why a token was refused.
func jwtReason(token string, err error) Reason {
	parsed, _, parseErr := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	switch {
	case errors.Is(parseErr, jwt.ErrTokenMalformed):
		return ReasonMalformed
	case parsed != nil && parsed.Method != jwt.SigningMethodHS256:
		return ReasonWrongAlgorithm
	case parseErr != nil:
		return ReasonMalformed
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return ReasonBadSignature
	case errors.Is(err, jwt.ErrTokenExpired), errors.Is(err, jwt.ErrTokenNotValidYet),
		errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return ReasonExpired
	}
	return ReasonMalformed
}
