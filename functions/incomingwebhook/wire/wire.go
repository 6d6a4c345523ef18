// Package wire assembles program incomingwebhook.
package wire

import (
	"minicloud/functions/incomingwebhook/api"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/trigger/hook"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	return lambdahttp.Adapt(b.Public(Group(b).Routes()).Handler())
}

// Group returns the handlers of the calls.
func Group(b *backend.Backend) *api.Group {
	return &api.Group{
		Receiver: &hook.Receiver{Hooks: b.Triggers(), Clock: b.Clock, IDs: b.IDs}, Depths: b.RunVerifier(),
	}
}
