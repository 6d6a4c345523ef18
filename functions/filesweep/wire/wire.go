// Package wire assembles program filesweep.
package wire

import (
	"minicloud/functions/filesweep/consumer"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/objects"
	"minicloud/shared/program/backend/queues"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	files := objects.Files(b)
	files.Failures = &consumer.Failures{Engine: queues.Open(b).Engine(), Site: files.Site}
	return (&consumer.Group{Files: files, Log: b.Log}).Tick
}
