package allowance

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/tenant"
)

// codeValid is how long a code is valid.
const codeValid = 24 * time.Hour

// codeLength is the length of a code in characters of base32, of 5 bits each: nobody can try 80 bits.
const codeLength = 16

// newCode returns a random code.
func newCode() string { return rand.Text()[:codeLength] }

// digestOf returns the SHA-256 of a code. A plain hash is enough for a code that cannot be guessed.
func digestOf(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// accepts reports whether a code confirms the sender. Readers may write it in small letters.
func (s Sender) accepts(code string, now time.Time) bool {
	given := digestOf(strings.ToUpper(strings.TrimSpace(code)))
	right := subtle.ConstantTimeCompare([]byte(given), []byte(s.Code)) == 1
	return s.Status == CodeSent && right && now.Before(s.CodeExpires)
}

// codeMail returns the mail with a code. It names the application by its id, because the owner chooses its name.
func codeMail(address string, app tenant.AppID, code string) (subject, body string) {
	return "Confirm " + address, fmt.Sprintf(
		`Application %d wants to send mail as %s.

If you agree, enter this code in its settings within 24 hours:

%s

If you do not know this application, ignore this mail: without the code it cannot send as you.
`, app, address, code)
}
