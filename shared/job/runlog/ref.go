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

func sign(key []byte, scope tenant.Scope, fn, job id.ID, now time.Time) Ref {
	ref := Ref{Scope: scope, Function: fn, Job: job, Expires: now.Add(SignedFor).Unix()}
	ref.Signature = ref.sign(key)
	return ref
}

func (ref Ref) check(key []byte) error {
	if !hmac.Equal([]byte(ref.sign(key)), []byte(ref.Signature)) {
		return errForged()
	}
	return nil
}

func errForged() error {
	return errs.Forbidden("this log URL is not valid, open it exactly as user_log_url has it")
}

func (ref Ref) sign(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("log\n" + ref.Scope.String() + "\n" + ref.Function.Key() + "\n" + ref.Job.Key() + "\n" +
		strconv.FormatInt(ref.Expires, 10)))
	return hex.EncodeToString(mac.Sum(nil))
}
