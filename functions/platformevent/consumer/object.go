package consumer

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/errs"
)

// s3Source is the source of events of Amazon S3.
const s3Source = "aws.s3"

// Files takes contents that came by a form; *file.Service implements it.
type Files interface {
	// Arrived makes the record of a file agree with the content under a key. A repeated call has no second effect.
	Arrived(ctx context.Context, key string) error
}

// object completes the upload of a content that a page has sent to S3 by a form (C30).
func (g *Group) object(ctx context.Context, event events.EventBridgeEvent) error {
	var d struct {
		Object struct {
			Key string `json:"key"`
		} `json:"object"`
	}
	if err := json.Unmarshal(event.Detail, &d); err != nil {
		return errs.Invalid("the detail is no event of S3: %v", err)
	}
	return g.Files.Arrived(ctx, d.Object.Key)
}
