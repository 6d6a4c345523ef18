package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

var wanted = []*template.Key{{ID: "SecretKey"}, {ID: "OtherKey"}}

func call(t *testing.T, path, operation string, in map[string]any) (status int, out map[string]any) {
	t.Helper()
	ring, err := Open(path, "us-east-1", wanted, false) // reopen each time: keys must persist
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
	r.Header.Set("X-Amz-Target", "TrentService."+operation)
	w := httptest.NewRecorder()
	(&API{Ring: ring, Count: func(string) {}}).ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return w.Code, out
}

func TestEncryptAndDecrypt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	context := map[string]string{"scope": "7.production", "name": "KEY"}
	secret := []byte("s3cr3t")
	for _, key := range []string{
		"SecretKey", "arn:aws:kms:us-east-1:000000000000:key/SecretKey",
	} {
		status, out := call(
			t, path, "Encrypt", map[string]any{"KeyId": key, "Plaintext": secret, "EncryptionContext": context},
		)
		if status != 200 || out["KeyId"] != "arn:aws:kms:us-east-1:000000000000:key/SecretKey" {
			t.Fatalf("%s: %d %v", key, status, out)
		}
		blob := out["CiphertextBlob"]
		status, out = call(
			t, path, "Decrypt",
			map[string]any{
				"CiphertextBlob": blob, "EncryptionContext": map[string]string{"name": "KEY", "scope": "7.production"},
			},
		)
		if status != 200 || out["Plaintext"] != "czNjcjN0" {
			t.Errorf("%s: decrypt %d %v", key, status, out)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info, err)
	}
	if text, _ := os.ReadFile(path); strings.Contains(string(text), "czNjcjN0") {
		t.Error("the key file holds a plaintext")
	}
}

// TestLostKeysAreNotReplaced: new keys could not decrypt existing data.
func TestLostKeysAreNotReplaced(t *testing.T) {
	tests := []struct {
		name, content string // "" means no file
		data          bool
		want          string // expected error; "" means success
	}{
		{"first start", "", false, ""},
		{"missing", "", true, "keys.json is missing"},
		{"empty", " ", true, "is broken (unexpected end of JSON input)"},
		{"cut", `{"SecretKey":"AAAA`, false, "is broken (unexpected end of JSON input)"},
		{"no keys", `{}`, true, "is broken (there is no key in it)"},
		{"null", `{"SecretKey":null}`, true, "is broken (the key SecretKey has 0 bytes, not 32)"},
		{"short key", `{"SecretKey":"AAAA"}`, true, "is broken (the key SecretKey has 3 bytes, not 32)"},
		{"a new key in the template", `{"SecretKey":"` + strings.Repeat("A", 43) + `="}`, true, ""},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "keys.json")
		if tt.content != "" {
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(path, "us-east-1", wanted, tt.data)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if after, _ := os.ReadFile(path); string(after) != tt.content {
			t.Errorf("%s: the file is %q now", tt.name, after)
		}
	}
}

func TestGenerateDataKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	_, key := call(t, path, "GenerateDataKey", map[string]any{"KeyId": "SecretKey", "KeySpec": "AES_256"})
	_, back := call(t, path, "Decrypt", map[string]any{"CiphertextBlob": key["CiphertextBlob"]})
	if plain, _ := key["Plaintext"].(string); len(plain) != 44 || back["Plaintext"] != plain {
		t.Errorf("%v came back as %v", key, back)
	}
	if _, hidden := call(
		t, path, "GenerateDataKeyWithoutPlaintext", map[string]any{"KeyId": "SecretKey", "NumberOfBytes": 16},
	); hidden["Plaintext"] != nil || hidden["CiphertextBlob"] == nil {
		t.Errorf("without plaintext: %v", hidden)
	}
}

func TestRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	_, sealed := call(
		t, path, "Encrypt",
		map[string]any{"KeyId": "SecretKey", "Plaintext": []byte("x"), "EncryptionContext": map[string]string{"a": "1"}},
	)
	blob := sealed["CiphertextBlob"].(string)
	tests := []struct {
		name, operation string
		in              map[string]any
		want            string
	}{
		{
			"another context", "Decrypt",
			map[string]any{"CiphertextBlob": blob, "EncryptionContext": map[string]string{"a": "2"}},
			"InvalidCiphertextException",
		},
		{"no context", "Decrypt", map[string]any{"CiphertextBlob": blob}, "InvalidCiphertextException"},
		{
			"changed", "Decrypt",
			map[string]any{"CiphertextBlob": blob[:len(blob)-8] + "AAAAAAA=", "EncryptionContext": map[string]string{"a": "1"}},
			"InvalidCiphertextException",
		},
		{"cut", "Decrypt", map[string]any{"CiphertextBlob": blob[:8]}, "InvalidCiphertextException"},
		{
			"another key", "Decrypt",
			map[string]any{"CiphertextBlob": blob, "KeyId": "OtherKey", "EncryptionContext": map[string]string{"a": "1"}},
			"IncorrectKeyException",
		},
		{"no such key", "Encrypt", map[string]any{"KeyId": "Gone", "Plaintext": []byte("x")}, "NotFoundException"},
		{
			"too long", "Encrypt", map[string]any{"KeyId": "SecretKey", "Plaintext": make([]byte, 4097)}, "ValidationException",
		},
		{"nothing", "Encrypt", map[string]any{"KeyId": "SecretKey"}, "ValidationException"},
		{"no size", "GenerateDataKey", map[string]any{"KeyId": "SecretKey"}, "ValidationException"},
		{"unknown operation", "Sign", map[string]any{"KeyId": "SecretKey"}, "UnsupportedOperationException"},
		{"malformed", "Encrypt", map[string]any{"KeyId": 7}, "SerializationException"},
	}
	for _, tt := range tests {
		if status, out := call(t, path, tt.operation, tt.in); status != 400 || out["__type"] != tt.want {
			t.Errorf("%s: %d %v, want %s", tt.name, status, out, tt.want)
		}
	}
}
