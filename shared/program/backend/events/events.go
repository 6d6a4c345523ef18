// Package events opens the event bus of a program.
package events

import (
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"minicloud/shared/aws/bus"
	"minicloud/shared/program/backend"
)

// Open returns the event bus whose name is in EVENT_BUS.
func Open(b *backend.Backend) *bus.Bus {
	return &bus.Bus{Client: eventbridge.NewFromConfig(b.Config), Name: b.String("EVENT_BUS")}
}
