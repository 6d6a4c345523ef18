// Package secrets opens the KMS key of a program.
package secrets

import (
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"minicloud/shared/aws/secretbox"
	"minicloud/shared/program/backend"
)

// Open returns a box that encrypts with the key.
func Open(b *backend.Backend) *secretbox.Box {
	return &secretbox.Box{KMS: kms.NewFromConfig(b.Config), KeyID: b.String("SECRETS_KEY")}
}
