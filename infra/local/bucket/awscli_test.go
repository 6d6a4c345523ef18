package bucket

import (
	"bytes"
	"crypto/rand"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

var awsCLI = flag.String("aws", "", "path of the AWS CLI that plays TestAWSCLI")

// TestAWSCLI plays what people do with `aws s3`, which signs, checks and uploads in parts in its own way.
func TestAWSCLI(t *testing.T) {
	if *awsCLI == "" {
		t.Skip("make aws-cli plays it")
	}
	_, client := open(t)
	folder := t.TempDir()
	run := func(arguments ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), *awsCLI, arguments...)
		cmd.Dir = folder
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "AWS_ENDPOINT_URL=" + *client.Options().BaseEndpoint,
			"AWS_ACCESS_KEY_ID=tool", "AWS_SECRET_ACCESS_KEY=local",
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("aws %q: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
	write := func(name string, body []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	same := func(file string, want []byte) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want %d, %v", file, len(got), len(want), err)
		}
	}
	const bucket = "s3://" + name
	large := make([]byte, 20<<20)
	_, _ = rand.Read(large) // never fails
	write("large.bin", large)
	write("tree/ä b.png", []byte("image"))
	write("tree/deep/notes.txt", []byte("notes"))

	// Its links for us-east-1 have the signature that S3 has not taken for new buckets since 2020, unless it is told.
	write(".aws/config", []byte("[default]\nregion = us-east-1\ns3 =\n  signature_version = s3v4\n"))

	// 20 MB go up in parts of 8 MB, and come down in ranges.
	run("s3", "cp", "large.bin", bucket+"/7/large.bin", "--no-progress", "--metadata", "file=65f0")
	if head := run("s3api", "head-object", "--bucket", name, "--key", "7/large.bin"); !strings.Contains(head, `-3\""`) ||
		!strings.Contains(head, `"file": "65f0"`) {
		t.Errorf("head %s", head)
	}
	run("s3", "cp", bucket+"/7/large.bin", "again.bin", "--no-progress")
	same("again.bin", large)
	run("s3api", "get-object", "--bucket", name, "--key", "7/large.bin", "--range", "bytes=10-19", "part.bin")
	same("part.bin", large[10:20])

	run("s3", "sync", "tree", bucket+"/7/tree", "--no-progress")
	if again := run("s3", "sync", "tree", bucket+"/7/tree", "--no-progress"); again != "" {
		t.Errorf("a second sync does %s", again)
	}
	listed := run("s3", "ls", bucket, "--recursive")
	for _, line := range []string{" 20971520 7/large.bin", " 5 7/tree/deep/notes.txt", " 5 7/tree/ä b.png"} {
		if !strings.Contains(listed, line+"\n") {
			t.Errorf("%q is missing in\n%s", line, listed)
		}
	}
	if listed := run("s3", "ls", bucket+"/7/"); !strings.Contains(listed, "PRE tree/\n") || strings.Contains(listed, "notes") {
		t.Errorf("listed\n%s", listed)
	}

	run("s3", "cp", bucket+"/7/tree/ä b.png", bucket+"/7/copy.png", "--no-progress")
	object, body := read(t, client, &s3.GetObjectInput{Key: aws.String("7/copy.png")})
	if body != "image" || *object.ContentType != "image/png" {
		t.Errorf("%q %s", body, *object.ContentType)
	}
	link := strings.TrimSpace(run("s3", "presign", bucket+"/7/tree/ä b.png", "--expires-in", "60"))
	resp, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "image" {
		t.Errorf("%s: %d %s", link, resp.StatusCode, text)
	}

	run("s3", "mv", bucket+"/7/copy.png", "moved.png", "--no-progress")
	same("moved.png", []byte("image"))
	run("s3", "rm", bucket+"/7/large.bin")
	run("s3api", "delete-objects", "--bucket", name, "--delete", `{"Objects":[{"Key":"7/tree/ä b.png"},{"Key":"missing"}]}`)
	run("s3", "rm", bucket, "--recursive")
	if left := run("s3", "ls", bucket, "--recursive"); left != "" {
		t.Errorf("left %s", left)
	}
}
