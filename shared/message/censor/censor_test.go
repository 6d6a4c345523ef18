package censor_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/censor"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

var (
	noon    = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop    = tenant.Scope{App: 7, Env: tenant.Production}
	another = tenant.Scope{App: 8, Env: tenant.Production}
)

// vendor is a fake that finds risky what says so, and is busy if asked to.
type vendor struct{ down bool }

func (v *vendor) Token(context.Context, templatemessage.Identity, bool) (string, time.Duration, error) {
	return "token", time.Hour, nil
}

func (v *vendor) CheckText(
	_ context.Context, who templatemessage.Identity, token string, t censor.Text,
) (bool, error) {
	switch {
	case v.down:
		return false, errors.New("nobody knows what the vendor did")
	case who.AppID != "wx1" || token != "token" || t.OpenID != "o":
		return false, errs.Invalid("asked as %q with %q for %q", who.AppID, token, t.OpenID)
	case t.Content == "busy":
		return false, &templatemessage.Refusal{Verdict: templatemessage.Later, Code: "-1"}
	case t.Content == "refused":
		return false, &templatemessage.Refusal{Verdict: templatemessage.BadUser, Code: "40006", Message: "bad"}
	}
	return t.Content == "risky", nil
}

func (v *vendor) CheckImage(
	ctx context.Context, who templatemessage.Identity, token string, i censor.Image,
) (bool, error) {
	return v.CheckText(ctx, who, token, censor.Text{Content: i.Name, OpenID: "o"})
}

// newService returns the service with a setting of chat for one environment, and its vendor.
func newService(t *testing.T) (*censor.Service, *vendor) {
	chat, db := &vendor{}, dynamotest.Start(t, "SettingsTable")
	keys, now := sealedtest.Sealer{}, clock.Fixed(noon)
	settings := &messaging.Settings{VendorStores: settingdb.Vendors(db, "SettingsTable"), Sealer: keys, Clock: now}
	app, secret := "wx1", "secret"
	if _, err := settings.PutVendor(t.Context(), shop, messaging.Chat, messaging.VendorPatch{
		AppID: &app, Secrets: map[string]*string{messaging.AppSecret: &secret},
	}); err != nil {
		t.Fatal(err)
	}
	return &censor.Service{
		Accounts: &templatemessage.Accounts{Settings: settings, Sealer: keys, Tokens: &templatemessage.Tokens{
			Store: &settingdb.Tokens{Client: db, Table: "SettingsTable"}, Sealer: keys, Clock: now,
			Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: chat},
		}},
		Texts:  map[messaging.Vendor]censor.TextCheck{messaging.Chat: chat},
		Images: map[messaging.Vendor]censor.ImageCheck{messaging.Chat: chat},
	}, chat
}

func TestChecksTextsAndImages(t *testing.T) {
	s, chat := newService(t)
	small := censor.Image{Name: "a.png", MIMEType: "image/png", Content: encoded(t, "png", 10, 10)}
	risky := small
	risky.Name = "risky"
	busy := small
	busy.Name = "busy"
	text := func(content string) func() (bool, error) {
		return func() (bool, error) {
			return s.Text(t.Context(), shop, messaging.Chat, censor.Text{Content: content, OpenID: "o"})
		}
	}
	picture := func(scope tenant.Scope, i censor.Image) func() (bool, error) {
		return func() (bool, error) { return s.Image(t.Context(), scope, messaging.Chat, i) }
	}
	for name, tt := range map[string]struct {
		check func() (bool, error)
		risky bool
		kind  errs.Kind
		says  string
	}{
		"a text":                    {check: text("hello")},
		"a risky text":              {check: text("risky"), risky: true},
		"no text":                   {check: text(""), kind: errs.KindInvalid, says: "content"},
		"a long text":               {check: text(strings.Repeat("x", censor.MaxText+1)), kind: errs.KindInvalid, says: "content"},
		"a busy vendor":             {check: text("busy"), kind: errs.KindUnavailable, says: "later"},
		"a refusal":                 {check: text("refused"), kind: errs.KindInvalid, says: "40006"},
		"an image":                  {check: picture(shop, small)},
		"a risky image":             {check: picture(shop, risky), risky: true},
		"an image, busy":            {check: picture(shop, busy), kind: errs.KindUnavailable, says: "later"},
		"an empty image":            {check: picture(shop, censor.Image{}), kind: errs.KindInvalid, says: "empty"},
		"an environment without it": {check: picture(another, small), kind: errs.KindInvalid, says: "not configured"},
	} {
		risky, err := tt.check()
		if risky != tt.risky || tt.says == "" && err != nil ||
			tt.says != "" && (!errs.Is(err, tt.kind) || !strings.Contains(errs.Message(err), tt.says)) {
			t.Errorf("%s: risky %v, %v", name, risky, err)
		}
	}

	chat.down = true
	if _, err := text("hello")(); !errs.Is(err, errs.KindUnavailable) || errs.RetryAfter(err) == 0 {
		t.Errorf("without a vendor: %v", err)
	}
}

// encoded returns an image of random pixels, which no format makes small.
func encoded(t *testing.T, format string, width, height int) []byte {
	t.Helper()
	i := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for n := range i.Pix {
		i.Pix[n] = byte(random.Uint32())
	}
	i.Set(width-1, height-1, color.White)
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, i)
	case "jpeg":
		err = jpeg.Encode(&b, i, nil)
	case "gif":
		err = gif.Encode(&b, i, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestShrinksPhotos: what a vendor takes stays as it is, what is larger fits afterwards.
func TestShrinksPhotos(t *testing.T) {
	for name, tt := range map[string]struct {
		content       []byte
		width, height int // 0 = stays as it is
		bad           string
	}{
		"small":           {content: encoded(t, "png", 750, 300)},
		"wide":            {content: encoded(t, "jpeg", 1500, 100), width: 750, height: 50},
		"high":            {content: encoded(t, "gif", 30, 2668), width: 15, height: 1334},
		"many bytes":      {content: encoded(t, "png", 700, 700), width: 700, height: 700},
		"a line":          {content: encoded(t, "png", 1, 5000), width: 1, height: 1334},
		"of no format":    {content: []byte("RIFF0000WEBP")},
		"large, unknown":  {content: make([]byte, censor.MaxImage+1), bad: "jpeg, png or gif"},
		"damaged":         {content: encoded(t, "png", 1500, 100)[:500], bad: "damaged"},
		"too many pixels": {content: header(t, 60_000, 60_000), bad: "too large"},
	} {
		got, err := censor.Shrunk(censor.Image{Content: tt.content})
		if tt.bad != "" {
			if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), tt.bad) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if tt.width == 0 {
			if err != nil || !bytes.Equal(got.Content, tt.content) {
				t.Errorf("%s: changed, %v", name, err)
			}
			continue
		}
		size, _, failed := image.DecodeConfig(bytes.NewReader(got.Content))
		if err != nil || failed != nil || size.Width != tt.width || size.Height != tt.height || len(got.Content) > censor.MaxImage ||
			got.MIMEType != "image/jpeg" {
			t.Errorf("%s: %v of %d bytes, %v %v", name, size, len(got.Content), err, failed)
		}
	}
}

// header returns the head of a png file that claims a size.
func header(t *testing.T, width, height int) []byte {
	t.Helper()
	content := encoded(t, "png", 1, 1)
	binary.BigEndian.PutUint32(content[16:], uint32(width))
	binary.BigEndian.PutUint32(content[20:], uint32(height))
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(content[12:29]))
	return content
}
