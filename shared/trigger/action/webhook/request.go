package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/trace/depth"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// Request is what a receiver gets.
type Request struct {
	URL     string
	Headers map[string]string
	Body    string
}

// jwtHeader is {"alg":"HS256","typ":"JWT"}.
const jwtHeader = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"

// request makes what is sent: a token that the current key signs. While another key is coming, both sign along in
// webhook-signature (G24).
func (d *Doer) request(ctx context.Context, one delivery, url string) (Request, error) {
	keys, err := d.keys(ctx, one)
	if err != nil {
		return Request{}, err
	}
	deep, err := d.Depths.DepthHeader(ctx, one.Run.Scope.App, one.Depth())
	if err != nil {
		return Request{}, err
	}
	body, err := token(keys[0], claims(one.Work))
	if err != nil {
		return Request{}, fmt.Errorf("claims of run %s: %w", one.Run.ID, err)
	}

	headers := map[string]string{
		"Content-Type":                "application/jwt",
		"User-Agent":                  "minicloud",
		"X-Service-Webhook-Action-Id": one.Run.ID,
		"X-Service-Trigger-Event":     string(one.Run.Event.Kind),
		depth.Header:                  deep,
		"webhook-id":                  one.Run.ID,
		"webhook-timestamp":           strconv.FormatInt(one.at.Unix(), 10),
		"webhook-signature":           signatures(keys, one.Run.ID, one.at, body),
	}
	if one.Run.Event.Trace != "" {
		headers["X-Service-Trace-Id"] = one.Run.Event.Trace
	}
	return Request{URL: url, Headers: headers, Body: body}, nil
}

// keys are the current key and, while it is coming, the next one.
func (d *Doer) keys(ctx context.Context, one delivery) (texts []string, err error) {
	secrets := one.Trigger.Secrets
	if secrets == nil || secrets.Keys[one.Action.ID].Current == nil {
		return nil, action.Permanent("no_key", "action %d has no key: make one", one.Action.ID)
	}

	key := secrets.Keys[one.Action.ID].At(one.at)
	for _, sealed := range [][]byte{key.Current, key.Next} {
		if sealed == nil {
			continue
		}

		text, err := secrets.Open(ctx, d.Sealer, one.Run.Scope, one.Trigger.ID, one.Action.ID, sealed)
		if err != nil {
			return nil, err
		}

		texts = append(texts, text)
	}

	return texts, nil
}

// claims are what the token says (D37), of a batch the list of them (G5).
func claims(w action.Work) map[string]any {
	if w.Events == nil {
		return w.Run.Event.Claims()
	}
	each := make([]map[string]any, len(w.Events))
	for i, e := range w.Events {
		each[i] = e.Claims()
	}
	return trigger.BatchData(each)
}

// token is a compact JWT. The key's characters are the raw bytes of the secret (G24).
func token(key string, claims map[string]any) (string, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := jwtHeader + "." + base64.RawURLEncoding.EncodeToString(text)
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac(key, signed)), nil
}

// signatures are those of Standard Webhooks, one for each key.
func signatures(keys []string, id string, at time.Time, body string) string {
	all := make([]string, len(keys))
	for i, key := range keys {
		sum := mac(key, id, ".", strconv.FormatInt(at.Unix(), 10), ".", body)
		all[i] = "v1," + base64.StdEncoding.EncodeToString(sum)
	}
	return strings.Join(all, " ")
}

func mac(key string, parts ...string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
