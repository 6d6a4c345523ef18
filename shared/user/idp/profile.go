package idp

import (
	"encoding/json"
	"maps"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/message/messaging"
)

// Genders of a profile; 0 = not told.
const (
	male   = 1
	female = 2
)

// Profile is what a vendor tells about a user; "" and 0 = not told.
type Profile struct {
	Nickname, Avatar                  string
	Country, Province, City, Language string
	Gender                            int // 1 male, 2 female
}

// vendorProfile is a profile in the words of chat and tpay.
type vendorProfile struct {
	NickName  string `json:"nickName"`
	AvatarURL string `json:"avatarUrl"`
	Gender    int    `json:"gender"`
	Country   string `json:"country"`
	Province  string `json:"province"`
	City      string `json:"city"`
	Language  string `json:"language"`
}

func (p vendorProfile) profile() Profile {
	return Profile{
		Nickname: p.NickName, Avatar: p.AvatarURL, Gender: p.Gender, Country: p.Country, Province: p.Province,
		City: p.City, Language: p.Language,
	}.Clean()
}

// maxText is the maximum length of a text of a profile, in bytes. Longer ones are cut, because the vendor vouches for
// them and the user cannot change them.
const maxText = 1024

// Clean returns the profile with texts of at most maxText, and without a gender that is none.
func (p Profile) Clean() Profile {
	for _, text := range []*string{&p.Nickname, &p.Avatar, &p.Country, &p.Province, &p.City, &p.Language} {
		*text = clip.Bytes(*text, maxText)
	}
	if p.Gender != male && p.Gender != female {
		p.Gender = 0
	}
	return p
}

// AltProfile returns the profile in an answer of alt, whose genders are m and f.
func AltProfile(answer []byte) (p Profile, err error) {
	var told struct {
		NickName string `json:"nick_name"`
		Avatar   string `json:"avatar"`
		Province string `json:"province"`
		City     string `json:"city"`
		Gender   string `json:"gender"`
	}
	if err := json.Unmarshal(answer, &told); err != nil {
		return p, err
	}
	gender := map[string]int{"m": male, "f": female}[strings.ToLower(told.Gender)]
	return Profile{
		Nickname: told.NickName, Avatar: told.Avatar, Province: told.Province, City: told.City, Gender: gender,
	}.Clean(), nil
}

// tell adds the profile to the member of a vendor, in the vendor's words.
func (p Profile) tell(v messaging.Vendor, of map[string]any) {
	told := map[string]any{
		"nickName": p.Nickname, "avatarUrl": p.Avatar, "gender": p.Gender, "country": p.Country, "province": p.Province,
		"city": p.City, "language": p.Language,
	}
	if v == messaging.Alt {
		told = map[string]any{
			"nick_name": p.Nickname, "avatar": p.Avatar, "gender": p.Gender, "province": p.Province, "city": p.City,
		}
	}
	maps.Copy(of, told)
}

// columns returns the fields of the user's row that the profile tells.
func (p Profile) columns() map[string]any {
	told := map[string]any{}
	for name, text := range map[string]string{
		"nickname": p.Nickname, "avatar": p.Avatar, "country": p.Country, "province": p.Province, "city": p.City,
		"language": p.Language,
	} {
		if text != "" {
			told[name] = text
		}
	}
	if p.Gender != 0 {
		told["gender"] = int64(p.Gender)
	}
	return told
}
