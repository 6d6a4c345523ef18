package template

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Bucket is an S3 bucket. Only event sources put objects into it.
type Bucket struct {
	ID   string // logical ID
	Name string
}

func (b *builder) bucket(id, name string, n *yaml.Node) {
	b.decode(id, n, new(struct{}), "BucketName", "BucketEncryption", "PublicAccessBlockConfiguration",
		"LifecycleConfiguration", "OwnershipControls")
	b.out.Buckets = append(b.out.Buckets, &Bucket{ID: id, Name: name})
}

// bucketPrefix begins the ARN of a bucket, which names neither a region nor an account.
const bucketPrefix = "arn:aws:s3:::"

func bucketReference(_ *builder, _, name string) node.Reference {
	return node.Reference{Ref: name, Attributes: map[string]string{"Arn": bucketPrefix + name}}
}

// bucketIn returns the bucket in an ARN, "" if it is that of another resource.
func bucketIn(arn string) string {
	name, ok := strings.CutPrefix(arn, bucketPrefix)
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}
