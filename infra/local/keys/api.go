package keys

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"minicloud/infra/local/server"
)

// API serves KMS's JSON protocol: Encrypt, Decrypt, GenerateDataKey, GenerateDataKeyWithoutPlaintext.
type API struct {
	Ring  *Ring
	Count func(operation string) // called for every request; not nil
}

// request has the request fields of all operations.
type request struct {
	KeyId             string
	Plaintext         []byte
	CiphertextBlob    []byte
	EncryptionContext map[string]string
	KeySpec           string
	NumberOfBytes     int
}

type response struct {
	KeyId               string
	Plaintext           []byte `json:",omitempty"`
	CiphertextBlob      []byte `json:",omitempty"`
	EncryptionAlgorithm string `json:",omitempty"`
}

// ServeHTTP serves one operation.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := server.Operation(r)
	a.Count(name)
	out, err := a.run(name, http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		refusal, ok := errors.AsType[*Error](err)
		if !ok {
			refusal = &Error{"SerializationException", err.Error()}
		}
		server.Refuse(w, http.StatusBadRequest, refusal.Type, refusal.Message)
		return
	}
	server.JSON(w, out)
}

func (a *API) run(name string, body io.Reader) (out response, err error) {
	var in request
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return out, err
	}

	var id string
	switch name {
	case "Encrypt":
		out.CiphertextBlob, id, err = a.Ring.Encrypt(in.KeyId, in.Plaintext, in.EncryptionContext)
		out.EncryptionAlgorithm = "SYMMETRIC_DEFAULT"
	case "Decrypt":
		out.Plaintext, id, err = a.Ring.Decrypt(in.KeyId, in.CiphertextBlob, in.EncryptionContext)
		out.EncryptionAlgorithm = "SYMMETRIC_DEFAULT"
	case "GenerateDataKey", "GenerateDataKeyWithoutPlaintext":
		out.Plaintext, err = dataKey(in)
		if err == nil {
			out.CiphertextBlob, id, err = a.Ring.Encrypt(in.KeyId, out.Plaintext, in.EncryptionContext)
		}
		// Remove the plaintext only after its encryption.
		if name == "GenerateDataKeyWithoutPlaintext" {
			out.Plaintext = nil
		}
	default:
		err = &Error{"UnsupportedOperationException", "the local cloud does not serve " + name}
	}

	out.KeyId = a.Ring.arn(id)
	return out, err
}

func dataKey(in request) ([]byte, error) {
	n := in.NumberOfBytes
	switch {
	case in.KeySpec == "AES_256" && n == 0:
		n = 32
	case in.KeySpec == "AES_128" && n == 0:
		n = 16
	case in.KeySpec != "" || n < 1 || n > maxDataKey:
		return nil, &Error{"ValidationException", "Please specify either number of bytes or key spec."}
	}
	return random(n), nil
}
