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
	Override    bool     `yaml:"OriginOverride"` // replaces the headers of the origin
	Credentials bool     `yaml:"AccessControlAllowCredentials"`
	Origins     []string `yaml:"AccessControlAllowOrigins.Items"`
	Methods     []string `yaml:"AccessControlAllowMethods.Items"`
	Headers     []string `yaml:"AccessControlAllowHeaders.Items"`
	Exposed     []string `yaml:"AccessControlExposeHeaders.Items"`
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
		Enabled    bool   `yaml:"DistributionConfig.Enabled"`
		RootObject string `yaml:"DistributionConfig.DefaultRootObject"`
		Origins    []struct {
			Id                    string    `yaml:"Id"`
			DomainName            string    `yaml:"DomainName"`
			OriginAccessControlId string    `yaml:"OriginAccessControlId"`
			S3OriginConfig        yaml.Node `yaml:"S3OriginConfig"` // says only that the origin is a bucket
		} `yaml:"DistributionConfig.Origins"`
		TargetOriginId          string   `yaml:"DistributionConfig.DefaultCacheBehavior.TargetOriginId"`
		ViewerProtocolPolicy    string   `yaml:"DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy"`
		AllowedMethods          []string `yaml:"DistributionConfig.DefaultCacheBehavior.AllowedMethods"`
		CachePolicyId           string   `yaml:"DistributionConfig.DefaultCacheBehavior.CachePolicyId"`
		OriginRequestPolicyId   string   `yaml:"DistributionConfig.DefaultCacheBehavior.OriginRequestPolicyId"`
		ResponseHeadersPolicyId string   `yaml:"DistributionConfig.DefaultCacheBehavior.ResponseHeadersPolicyId"`
	}
	b.decode(id, n, &p, "DistributionConfig.Comment", "DistributionConfig.HttpVersion", "DistributionConfig.IPV6Enabled",
		"DistributionConfig.Aliases", "DistributionConfig.ViewerCertificate")
	if len(p.Origins) != 1 {
		b.fail(id, "the local cloud serves distributions of one bucket")
		return
	}
	origin := p.Origins[0]
	b.oneOf(id, "TargetOriginId", p.TargetOriginId, origin.Id)
	b.oneOf(id, "ViewerProtocolPolicy", p.ViewerProtocolPolicy, "redirect-to-https")
	b.oneOf(id, "CachePolicyId", p.CachePolicyId, uncompressedPolicy)
	b.oneOf(id, "OriginRequestPolicyId", p.OriginRequestPolicyId, corsS3Policy)
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
		ID: id, Bucket: bucket, RootObject: p.RootObject, Methods: p.AllowedMethods, headersID: p.ResponseHeadersPolicyId,
	})
}

func (b *builder) originAccess(id, _ string, n *yaml.Node) {
	var p struct {
		Type     string `yaml:"OriginAccessControlConfig.OriginAccessControlOriginType"`
		Behavior string `yaml:"OriginAccessControlConfig.SigningBehavior"`
		Protocol string `yaml:"OriginAccessControlConfig.SigningProtocol"`
	}
	b.decode(id, n, &p, "OriginAccessControlConfig.Name")
	b.oneOf(id, "OriginAccessControlOriginType", p.Type, "s3")
	b.oneOf(id, "SigningBehavior", p.Behavior, "always")
	b.oneOf(id, "SigningProtocol", p.Protocol, "sigv4")
}

func (b *builder) headersPolicy(id, name string, n *yaml.Node) {
	var p struct {
		NoSniff *bool       `yaml:"ResponseHeadersPolicyConfig.SecurityHeadersConfig.ContentTypeOptions.Override"`
		CORS    CORSHeaders `yaml:"ResponseHeadersPolicyConfig.CorsConfig"`
		Remove  []struct {
			Header string `yaml:"Header"`
		} `yaml:"ResponseHeadersPolicyConfig.RemoveHeadersConfig.Items"`
	}
	b.decode(id, n, &p, "ResponseHeadersPolicyConfig.Name")
	policy := &HeadersPolicy{NoSniff: p.NoSniff != nil, CORS: p.CORS}
	for _, removed := range p.Remove {
		policy.Removed = append(policy.Removed, removed.Header)
	}
	b.headerPolicies[name] = policy
}

// bucketPolicy reads what a bucket allows distributions.
func (b *builder) bucketPolicy(id, _ string, n *yaml.Node) {
	var p struct {
		Version   string `yaml:"PolicyDocument.Version"`
		Statement []struct {
			Effect   string     `yaml:"Effect"`
			Service  string     `yaml:"Principal.Service"`
			Action   node.Texts `yaml:"Action"`
			Resource node.Texts `yaml:"Resource"`
			Source   string     `yaml:"Condition.StringEquals.AWS:SourceArn"`
		} `yaml:"PolicyDocument.Statement"`
	}
	b.decode(id, n, &p, "Bucket")
	for _, s := range p.Statement {
		b.oneOf(id, "Effect", s.Effect, "Allow")
		b.oneOf(id, "Principal.Service", s.Service, "cloudfront.amazonaws.com")
		if s.Source == "" {
			b.fail(id, "without the condition AWS:SourceArn, distributions of other accounts may read the bucket")
		}
		b.bucketGrants[s.Source] = append(b.bucketGrants[s.Source], Grant{Actions: s.Action, Resources: s.Resource})
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
