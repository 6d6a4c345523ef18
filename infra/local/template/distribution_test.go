package template

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// files is the template of the platform with a change.
func files(t *testing.T, old, replacement string) (*Template, error) {
	t.Helper()
	source, err := os.ReadFile("../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%q is not once in the template", old)
	}
	return Read([]byte(strings.Replace(string(source), old, replacement, 1)), Options{})
}

// TestDistribution is read with what its policies add and allow.
func TestDistribution(t *testing.T) {
	got, err := files(t, "HttpVersion: http2and3", "HttpVersion: http2")
	if err != nil {
		t.Fatal(err)
	}
	headers := &HeadersPolicy{NoSniff: true, CORS: CORSHeaders{
		Override: true, Origins: []string{"*"}, Methods: []string{"GET", "HEAD"}, Headers: []string{"*"},
		Exposed: []string{"Accept-Ranges", "Content-Length", "Content-Range", "ETag"},
	}, Removed: []string{"x-amz-meta-upload", "x-amz-meta-file"}}
	want := []*Distribution{{
		ID: "FilesDistribution", Bucket: "FilesBucket", RootObject: "index.html", Methods: []string{"GET", "HEAD", "OPTIONS"}, Headers: headers,
		Grants: []Grant{
			{Actions: []string{"s3:GetObject"}, Resources: []string{"arn:aws:s3:::FilesBucket/*"}},
			{Actions: []string{"s3:ListBucket"}, Resources: []string{"arn:aws:s3:::FilesBucket"}},
		},
	}}
	if diff := cmp.Diff(want, got.Distributions, cmpopts.IgnoreUnexported(Distribution{})); diff != "" {
		t.Error(diff)
	}
	for _, b := range got.Buckets {
		if wants := b.ID == "FilesBucket"; b.Notifies != wants || (len(b.CORS) > 0) != wants {
			t.Errorf("%+v", b)
		}
	}
}

// TestDistributionRefused: what AWS accepts and what would then answer 403, or show more than files.
func TestDistributionRefused(t *testing.T) {
	for old, test := range map[string][2]string{
		"            Principal: { Service: cloudfront.amazonaws.com }\n            Action: s3:ListBucket\n": {
			"            Principal: { Service: cloudfront.amazonaws.com }\n            Action: s3:GetObject\n", "a missing object is 403",
		},
		"            Action: s3:GetObject\n            Resource: !Sub ${FilesBucket.Arn}/*\n": {
			"            Action: s3:GetObject\n            Resource: !Sub ${FilesBucket.Arn}/7/*\n", "lets it read objects",
		},
		"        DefaultRootObject: index.html\n":                   {"", "lists the bucket"},
		"            OriginAccessControlId: !GetAtt FilesAccess.Id": {"", "no OriginAccessControlId"},
		"b2884449-e4de-46a7-ac36-70bc7f1ddd6d":                      {"658327ea-f89d-4fab-a63d-7e88639e58f6", "CachePolicyId: 658327ea"},
		"ResponseHeadersPolicyId: !Ref FilesHeaders":                {"ResponseHeadersPolicyId: other", "other is not in this template"},
		"        SigningBehavior: always":                           {"        SigningBehavior: never", "SigningBehavior: never"},
		"            DomainName: !GetAtt FilesBucket.RegionalDomainName": {
			"            DomainName: files.example.com", "must be the RegionalDomainName",
		},
		"        HttpVersion: http2and3": {"        Logging: {Bucket: x}", "Logging is not served"},
	} {
		if _, err := files(t, old, test[0]); err == nil || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("%s: %v", test[0], err)
		}
	}
}
