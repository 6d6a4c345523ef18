package runlog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// SignedFor is how long a log URL is valid (D23).
const SignedFor = 24 * time.Hour

// Ref is the content of a log URL: the job, the expiry and the signature.
//
//	expires    Unix seconds
//	signature  HMAC-SHA-256 over scope, function, job and expires, hex
type Ref struct {
	Scope     tenant.Scope
	Function  id.ID
	Job       id.ID
	Expires   int64
	Signature string
}

// Sign returns a reference to the log of a job, valid for SignedFor.
func Sign(key []byte, scope tenant.Scope, fn, job id.ID, now time.Time) Ref {
	ref := Ref{Scope: scope, Function: fn, Job: job, Expires: now.Add(SignedFor).Unix()}
	ref.Signature = ref.sign(key)
	return ref
}

// Check returns errs.Forbidden when the reference was changed or has expired.
func (ref Ref) Check(key []byte, now time.Time) error {
	// The signature covers Expires, so it is checked first: an altered expiry must not be believed.
	if !hmac.Equal([]byte(ref.sign(key)), []byte(ref.Signature)) {
		return errs.Forbidden("this log URL is not valid, open it exactly as user_log_url has it")
	}
	if now.Unix() >= ref.Expires {
		return errs.Forbidden("this log URL has expired")
	}
	return nil
}

func (ref Ref) sign(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("log\n" + ref.Scope.String() + "\n" + ref.Function.Key() + "\n" + ref.Job.Key() + "\n" +
		strconv.FormatInt(ref.Expires, 10)))
	return hex.EncodeToString(mac.Sum(nil))
}
