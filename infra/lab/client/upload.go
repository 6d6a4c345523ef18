package client

// Upload is the answer to the start of an upload, in one piece or in parts.
type Upload struct {
	ID, Policy, Authorization, Date string
	URL                             string `json:"upload_url"`
	MultiID                         string `json:"multi_uuid"`
	Form                            struct {
		URL    string
		Fields map[string]string
	} `json:"post_form"`
}

// Fields are those of the form that sends the content to the receiver.
func (u Upload) Fields() map[string]string {
	return map[string]string{"policy": u.Policy, "authorization": u.Authorization}
}

// Receive is the request that sends a content to the receiver.
func (u Upload) Receive(content string) Request {
	kind, body := Form(u.Fields(), content)
	return Request{Method: "POST", Path: "/upload/" + u.ID + "/", Body: body, Type: kind}
}
