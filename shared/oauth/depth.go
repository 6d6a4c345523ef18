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

// depthLifetime is how long a depth counts: a chain that takes longer for one step is no loop that runs away.
const depthLifetime = 24 * time.Hour

// maxDepthLen is how long a header is at most, bytes.
const maxDepthLen = 128

// DepthHeader is the depth.Header of requests that an application causes: "<depth>.<handle>.<expires>.<signature>".
func DepthHeader(a app.Application, depth int, now time.Time) string {
	at, expires := strconv.Itoa(depth), strconv.FormatInt(now.Add(depthLifetime).Unix(), 10)
	handle := string(a.ClientID.Handle())
	return strings.Join([]string{at, handle, expires, a.Sign(purposeDepth, at, handle, expires)}, ".")
}

// VerifyDepth returns the depth in a header, 0 for an absent, forged or expired one, as for external callers. Another
// application may have signed it, so a well-formed header costs one read. Errors are those of the store.
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

	// All checks before this one are free: a forged header must not cost a read easily.
	a, err := v.Store.ByHandle(ctx, app.Handle(handle))
	if errs.Is(err, errs.KindNotFound) || err == nil && !a.Signed(signature, purposeDepth, at, handle, expires) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return depth, nil
}
