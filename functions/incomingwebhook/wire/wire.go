// Package wire puts program incomingwebhook together.
package wire

import (
	"minicloud/functions/incomingwebhook/api"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/trigger/hook"
)

// Program opens what the program needs, and returns its handler.
func Program(b *backend.Backend) any {
	return lambdahttp.Adapt(b.Public(Group(b).Routes()).Handler())
}

// Group takes the calls.
func Group(b *backend.Backend) *api.Group {
	return &api.Group{
		Receiver: &hook.Receiver{Hooks: b.Triggers(), Clock: b.Clock, IDs: b.IDs}, Depths: b.RunVerifier(),
	}
}
