package template

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Bucket is an S3 bucket.
type Bucket struct {
	ID   string // logical ID
	Name string
	CORS []CORSRule
	// Notifies tells that its events go to the default bus.
	Notifies bool
}

// CORSRule says what pages of some origins may ask of a bucket.
type CORSRule struct {
	Origins []string `yaml:"AllowedOrigins"` // "*" is all
	Methods []string `yaml:"AllowedMethods"`
	Headers []string `yaml:"AllowedHeaders"` // "*" is all
	Exposed []string `yaml:"ExposedHeaders"`
	MaxAge  int      `yaml:"MaxAge"` // seconds
}

func (b *builder) bucket(id, name string, n *yaml.Node) {
	var p struct {
		CORS     []CORSRule `yaml:"CorsConfiguration.CorsRules"`
		Notifies bool       `yaml:"NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled"`
	}
	b.decode(id, n, &p, "BucketName", "BucketEncryption", "PublicAccessBlockConfiguration", "LifecycleConfiguration",
		"OwnershipControls")
	b.out.Buckets = append(b.out.Buckets, &Bucket{ID: id, Name: name, CORS: p.CORS, Notifies: p.Notifies})
}

// bucketPrefix begins the ARN of a bucket, which names neither a region nor an account.
const bucketPrefix = "arn:aws:s3:::"

func bucketReference(b *builder, _, name string) node.Reference {
	return node.Reference{Ref: name, Attributes: map[string]string{
		"Arn": bucketPrefix + name, "RegionalDomainName": name + b.bucketDomain(),
	}}
}

// bucketIn returns the bucket in an ARN, "" if it is that of another resource.
func bucketIn(arn string) string {
	name, ok := strings.CutPrefix(arn, bucketPrefix)
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}
