package bench

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/disk"
	"minicloud/shared/clock"
)

// BenchmarkObject puts an object of 1 MB by the SDK. Its floor is a file of 1 MB that is synced and renamed: the SDK and S3
// digest the body, over loopback.
func BenchmarkObject(b *testing.B) {
	folder := b.TempDir()
	store, err := objects.Open(folder, []string{"Bucket"}, clock.System)
	must(b, err)
	server := httptest.NewServer(http.Handler(&bucket.API{Store: store, Count: func(string) {}}))
	defer server.Close()
	client := s3.New(s3.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("id", "local", ""),
	})
	content := make([]byte, 1<<20)
	_, _ = rand.Read(content) // never fails

	var times, floors series
	for b.Loop() {
		began := time.Now()
		_, err := client.PutObject(b.Context(), &s3.PutObjectInput{
			Bucket: aws.String("Bucket"), Key: aws.String("a"), Body: bytes.NewReader(content),
		})
		must(b, err)
		times = append(times, time.Since(began))

		began = time.Now()
		must(b, disk.Replace(filepath.Join(folder, "floor"), content))
		floors = append(floors, time.Since(began))
	}
	b.ReportMetric(ms(times.median()), "put-ms")
	b.ReportMetric(ms(floors.median()), "floor-ms")
	b.ReportMetric(ms(times.median())/ms(floors.median()), "x-floor")
}
