package oauth

import (
	"context"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
)

const purposeDepth = "depth of a chain"

// depthLifetime is how long a depth header is valid: a chain with slower steps is not a runaway loop.
const depthLifetime = 24 * time.Hour

// maxDepthLen is the maximum length of a header, in bytes.
const maxDepthLen = 128

// DepthHeader is the depth.Header of requests that an application causes: "<depth>.<handle>.<expires>.<signature>".
func DepthHeader(a app.Application, depth int, now time.Time) string {
	at, expires := strconv.Itoa(depth), strconv.FormatInt(now.Add(depthLifetime).Unix(), 10)
	handle := string(a.ClientID.Handle())
	return strings.Join([]string{at, handle, expires, a.Sign(purposeDepth, at, handle, expires)}, ".")
}

// VerifyDepth returns the depth in a header. An absent, forged or expired header gives 0, the depth of external
// callers. Another application may have signed the header, so a well-formed one costs one read. Errors are those of the
// store.
func (v *RunVerifier) VerifyDepth(ctx context.Context, header string) (int, error) {
	parts := strings.Split(header, ".")
	if len(header) > maxDepthLen || len(parts) != 4 {
		return 0, nil
	}
	at, handle, expires, signature := parts[0], parts[1], parts[2], parts[3]
	depth, err := strconv.Atoi(at)
	if err != nil || depth < 0 || len(handle) != app.HandleLen || !app.ClientID(handle+handle).Valid() {
		return 0, nil
	}
	if until, err := strconv.ParseInt(expires, 10, 64); err != nil || v.Clock.Now().Unix() >= until {
		return 0, nil
	}

	// This read comes after all checks that cost nothing, so that a forged header seldom costs a read.
	a, err := v.Store.ByHandle(ctx, app.Handle(handle))
	if errs.Is(err, errs.KindNotFound) || err == nil && !a.Signed(v.Clock.Now(), signature, purposeDepth, at, handle, expires) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return depth, nil
}
