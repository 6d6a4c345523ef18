package file

import (
	"encoding/base64"
	"encoding/json"

	"minicloud/shared/app"
	"minicloud/shared/tenant"
)

// purposeUpload separates the signatures of policies from the others of an application's key.
const purposeUpload = "upload"

// policy permits to send the content of one upload. Callers see its JSON as opaque base64.
type policy struct {
	Client  app.ClientID `json:"client"`
	Env     tenant.EnvID `json:"env"`
	Upload  string       `json:"upload"` // Ref
	File    ID           `json:"file"`
	Expires int64        `json:"expires"` // Unix seconds
}

// sign returns the policy as text and its signature by the application's key.
func (p policy) sign(a app.Application) (text, signature string) {
	plain, err := json.Marshal(p)
	if err != nil {
		panic(err) // a struct of texts and numbers
	}
	text = base64.StdEncoding.EncodeToString(plain)
	return text, a.Sign(purposeUpload, text)
}
