package template

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"minicloud/infra/local/template/node"
)

// Distribution is a CloudFront distribution in front of a bucket.
type Distribution struct {
	ID         string
	Bucket     string         // name
	RootObject string         // key that stands for /
	Methods    []string       // of viewers
	Headers    *HeadersPolicy // nil for none
	Grants     []Grant        // by the policy of the bucket

	headersID string
}

// HeadersPolicy is what CloudFront adds to answers and removes from them.
type HeadersPolicy struct {
	NoSniff bool
	CORS    CORSHeaders
	Removed []string // names of headers
}

// CORSHeaders are the headers that CloudFront adds for pages.
type CORSHeaders struct {
	Override    bool      `yaml:"OriginOverride"` // replaces the headers of the origin
	Credentials bool      `yaml:"AccessControlAllowCredentials"`
	Origins     TextItems `yaml:"AccessControlAllowOrigins"`
	Methods     TextItems `yaml:"AccessControlAllowMethods"`
	Headers     TextItems `yaml:"AccessControlAllowHeaders"`
	Exposed     TextItems `yaml:"AccessControlExposeHeaders"`
}

// TextItems is a list in the form of CloudFront.
type TextItems struct {
	Items []string `yaml:"Items"`
}

// Policies of AWS that the local distribution behaves like.
const (
	uncompressedPolicy = "b2884449-e4de-46a7-ac36-70bc7f1ddd6d" // cache: no query, no headers, Cache-Control of the object
	corsS3Policy       = "88a5eaf4-2fd4-4709-b370-b4c650ea3fcf" // origin request: Origin and Access-Control-Request-…
)

func distributionReference(_ *builder, id, _ string) node.Reference {
	return node.Reference{Ref: id, Attributes: map[string]string{"Id": id, "DomainName": strings.ToLower(id) + ".cloudfront.net"}}
}

func originAccessReference(_ *builder, id, _ string) node.Reference {
	return node.Reference{Ref: id, Attributes: map[string]string{"Id": id}}
}

// bucketDomain ends the domain of a bucket.
func (b *builder) bucketDomain() string { return ".s3." + b.opt.Region + ".amazonaws.com" }

func (b *builder) distribution(id, _ string, n *yaml.Node) {
	var p struct {
		Enabled           bool   `yaml:"Enabled"`
		DefaultRootObject string `yaml:"DefaultRootObject"`
		Origins           []struct {
			Id                    string    `yaml:"Id"`
			DomainName            string    `yaml:"DomainName"`
			OriginAccessControlId string    `yaml:"OriginAccessControlId"`
			S3OriginConfig        yaml.Node `yaml:"S3OriginConfig"` // says only that the origin is a bucket
		} `yaml:"Origins"`
		Behavior struct {
			TargetOriginId          string   `yaml:"TargetOriginId"`
			ViewerProtocolPolicy    string   `yaml:"ViewerProtocolPolicy"`
			AllowedMethods          []string `yaml:"AllowedMethods"`
			CachePolicyId           string   `yaml:"CachePolicyId"`
			OriginRequestPolicyId   string   `yaml:"OriginRequestPolicyId"`
			ResponseHeadersPolicyId string   `yaml:"ResponseHeadersPolicyId"`
		} `yaml:"DefaultCacheBehavior"`
	}
	b.decode(id, b.only(id, n, "DistributionConfig"), &p, "Comment", "HttpVersion", "IPV6Enabled", "Aliases", "ViewerCertificate")
	if len(p.Origins) != 1 {
		b.fail(id, "the local cloud serves distributions of one bucket")
		return
	}
	origin, behavior := p.Origins[0], p.Behavior
	b.oneOf(id, "TargetOriginId", behavior.TargetOriginId, origin.Id)
	b.oneOf(id, "ViewerProtocolPolicy", behavior.ViewerProtocolPolicy, "redirect-to-https")
	b.oneOf(id, "CachePolicyId", behavior.CachePolicyId, uncompressedPolicy)
	b.oneOf(id, "OriginRequestPolicyId", behavior.OriginRequestPolicyId, corsS3Policy)
	if !p.Enabled {
		b.fail(id, "it is not enabled")
	}
	if origin.OriginAccessControlId == "" {
		b.fail(id, "it has no OriginAccessControlId, so the bucket would refuse its requests")
	}
	bucket, ok := strings.CutSuffix(origin.DomainName, b.bucketDomain())
	if !ok {
		b.fail(id, "DomainName must be the RegionalDomainName of a bucket")
	}
	b.out.Distributions = append(b.out.Distributions, &Distribution{
		ID: id, Bucket: bucket, RootObject: p.DefaultRootObject, Methods: behavior.AllowedMethods,
		headersID: behavior.ResponseHeadersPolicyId,
	})
}

func (b *builder) originAccess(id, _ string, n *yaml.Node) {
	var p struct {
		Type     string `yaml:"OriginAccessControlOriginType"`
		Behavior string `yaml:"SigningBehavior"`
		Protocol string `yaml:"SigningProtocol"`
	}
	b.decode(id, b.only(id, n, "OriginAccessControlConfig"), &p, "Name")
	b.oneOf(id, "OriginAccessControlOriginType", p.Type, "s3")
	b.oneOf(id, "SigningBehavior", p.Behavior, "always")
	b.oneOf(id, "SigningProtocol", p.Protocol, "sigv4")
}

func (b *builder) headersPolicy(id, name string, n *yaml.Node) {
	var p struct {
		Security struct {
			ContentTypeOptions *struct {
				Override bool `yaml:"Override"`
			} `yaml:"ContentTypeOptions"`
		} `yaml:"SecurityHeadersConfig"`
		CORS   CORSHeaders `yaml:"CorsConfig"`
		Remove struct {
			Items []struct {
				Header string `yaml:"Header"`
			} `yaml:"Items"`
		} `yaml:"RemoveHeadersConfig"`
	}
	b.decode(id, b.only(id, n, "ResponseHeadersPolicyConfig"), &p, "Name")
	policy := &HeadersPolicy{NoSniff: p.Security.ContentTypeOptions != nil, CORS: p.CORS}
	for _, removed := range p.Remove.Items {
		policy.Removed = append(policy.Removed, removed.Header)
	}
	b.headerPolicies[name] = policy
}

// only returns the value of the only property of a resource.
func (b *builder) only(id string, n *yaml.Node, property string) *yaml.Node {
	for key := range node.Pairs(n) {
		if key.Value != property {
			b.fail(id, "%w", node.Wrong(key, "%s is not served by the local cloud", key.Value))
		}
	}
	if value := node.Get(n, property); value != nil {
		return value
	}
	return &yaml.Node{}
}

// bucketPolicy reads what a bucket allows distributions.
func (b *builder) bucketPolicy(id, _ string, n *yaml.Node) {
	var p struct {
		PolicyDocument struct {
			Version   string `yaml:"Version"`
			Statement []struct {
				Effect    string `yaml:"Effect"`
				Principal struct {
					Service string `yaml:"Service"`
				} `yaml:"Principal"`
				Action    node.Texts `yaml:"Action"`
				Resource  node.Texts `yaml:"Resource"`
				Condition struct {
					StringEquals struct {
						SourceArn string `yaml:"AWS:SourceArn"`
					} `yaml:"StringEquals"`
				} `yaml:"Condition"`
			} `yaml:"Statement"`
		} `yaml:"PolicyDocument"`
	}
	b.decode(id, n, &p, "Bucket")
	for _, s := range p.PolicyDocument.Statement {
		b.oneOf(id, "Effect", s.Effect, "Allow")
		b.oneOf(id, "Principal.Service", s.Principal.Service, "cloudfront.amazonaws.com")
		source := s.Condition.StringEquals.SourceArn
		if source == "" {
			b.fail(id, "without the condition AWS:SourceArn, distributions of other accounts may read the bucket")
		}
		b.bucketGrants[source] = append(b.bucketGrants[source], Grant{Actions: s.Action, Resources: s.Resource})
	}
}

// checkDistributions connects distributions with policies, and reports one whose requests its bucket refuses.
func (b *builder) checkDistributions() {
	for i, d := range b.out.Distributions {
		if i > 0 {
			b.fail(d.ID, "the local cloud serves one distribution")
		}
		if d.headersID != "" {
			if d.Headers = b.headerPolicies[d.headersID]; d.Headers == nil {
				b.fail(d.ID, "ResponseHeadersPolicyId: %s is not in this template", d.headersID)
			}
		}
		d.Grants = b.bucketGrants["arn:aws:cloudfront::"+Account+":distribution/"+d.ID]
		if !Allowed(d.Grants, "s3:GetObject", bucketPrefix+d.Bucket+"/any", "") {
			b.fail(d.ID, "no AWS::S3::BucketPolicy lets it read objects of %s", d.Bucket)
		}
		if !Allowed(d.Grants, "s3:ListBucket", bucketPrefix+d.Bucket, "") {
			b.fail(d.ID, "no AWS::S3::BucketPolicy allows it s3:ListBucket on %s, so a missing object is 403, not 404", d.Bucket)
		}
		if d.RootObject == "" {
			b.fail(d.ID, "without DefaultRootObject, its address lists the bucket")
		}
	}
}
