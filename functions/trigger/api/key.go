package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
)

type rotateKey struct {
	byID
	Action trigger.ActionID `path:"action"`
}

// rotatedKey is the new key of a webhook. Until ActiveAt the old key signs the body.
type rotatedKey struct {
	Key      string          `json:"key"`
	ActiveAt httpapi.Seconds `json:"active_at"`
}

// rotateKey serves POST /oserve/v3/trigger/:id/action/:action_id/key/ (G24).
func (g *Group) rotateKey(ctx context.Context, in rotateKey) (rotatedKey, error) {
	key, at, err := g.Triggers.RotateKey(ctx, httpapi.Scope(ctx), in.ID, in.Action)
	return rotatedKey{key, httpapi.Seconds(at.Unix())}, err
}
