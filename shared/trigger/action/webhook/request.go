package webhook

import (
	"context"
	"fmt"

	"github.com/golang-jwt/jwt/v5"

	"minicloud/shared/delivery"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// request makes the request of an attempt. Its body is a token that the current key signs (D37), for a batch with a
// list of events (G5). During a key overlap both keys sign the webhook-signature, so that receivers can switch at any
// time (G24).
func (d *Doer) request(ctx context.Context, one attempt, url string) (delivery.Request, error) {
	keys, err := d.keys(ctx, one)
	if err != nil {
		return delivery.Request{}, err
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims(one.Work)))
	body, err := token.SignedString([]byte(keys[0]))
	if err != nil {
		return delivery.Request{}, fmt.Errorf("claims of run %s: %w", one.Run.ID, err)
	}

	// The id of the run is the same in all attempts, so that receivers recognize repeated requests.
	m := delivery.Message{
		URL: url, ID: one.Run.ID, ContentType: "application/jwt", Body: body, Trace: one.Run.Event.Trace,
		App: one.Run.Scope.App, Depth: one.Depth(),
		Headers: map[string]string{
			"X-Service-Webhook-Action-Id": one.Run.ID,
			"X-Service-Trigger-Event":     string(one.Run.Event.Kind),
		},
	}
	return m.Request(ctx, d.Depths, keys, one.at)
}

// keys returns the current key and, during an overlap, the next one.
func (d *Doer) keys(ctx context.Context, one attempt) (texts []string, err error) {
	secrets := one.Trigger.Secrets
	if secrets == nil || secrets.Keys[one.Action.ID].Current == nil {
		return nil, action.Permanent("no_key", "action %d has no key: make one", one.Action.ID)
	}

	// Both keys sign during the overlap, and the current one alone signs the token.
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

// claims returns the claims of the token (D37): those of the event, or a list for a batch (G5).
func claims(w action.Work) map[string]any {
	if w.Events == nil {
		return w.Run.Event.Claims()
	}
	each := make([]map[string]any, len(w.Events))
	for i, e := range w.Events {
		each[i] = e.Claims()
	}
	return run.BatchData(each)
}
