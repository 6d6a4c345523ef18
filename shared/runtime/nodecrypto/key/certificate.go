package key

import (
	"crypto"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"minicloud/shared/runtime/hostcall"
)

// Certificate is an X.509 certificate held by JavaScript.
type Certificate struct{ parsed *x509.Certificate }

// Size is the approximate size of the parsed fields.
func (c *Certificate) Size() int { return 4096 + 2*len(c.parsed.Raw) }

// certificateParse is parse(PEM or DER).
func certificateParse(c *hostcall.Call) (any, error) {
	data, err := keyData(c, 0)
	if err != nil {
		return nil, err
	}
	// If the text has no PEM block, it may be DER.
	for block := range blocksOf(data) {
		if block.Type == "CERTIFICATE" || block.Type == "X509 CERTIFICATE" || block.Type == "TRUSTED CERTIFICATE" {
			data = block.Bytes
			break
		}
	}

	parsed, err := x509.ParseCertificate(data)
	if err != nil {
		return nil, hostcall.OpenSSL("0480006C", "PEM routines", "no start line")
	}
	return &Certificate{parsed}, nil
}

// fields are the properties of an X509Certificate; properties that the certificate lacks are omitted.
type fields struct {
	Subject        string   `json:"subject"`
	Issuer         string   `json:"issuer"`
	SubjectAltName string   `json:"subjectAltName,omitempty"`
	InfoAccess     string   `json:"infoAccess,omitempty"`
	ValidFrom      string   `json:"validFrom"`
	ValidTo        string   `json:"validTo"`
	Fingerprint    string   `json:"fingerprint"`
	Fingerprint256 string   `json:"fingerprint256"`
	Fingerprint512 string   `json:"fingerprint512"`
	KeyUsage       []string `json:"keyUsage,omitempty"`
	SerialNumber   string   `json:"serialNumber"`
	CA             bool     `json:"ca"`
}

func certificateFields(c *hostcall.Call) (any, error) {
	p := hostcall.ObjectAt[*Certificate](c, 0).parsed
	one, two, five := sha1.Sum(p.Raw), sha256.Sum256(p.Raw), sha512.Sum512(p.Raw)
	serial := fmt.Sprintf("%X", p.SerialNumber)
	// OpenSSL writes whole bytes, so pad to an even number of digits.
	if len(serial)%2 == 1 {
		serial = "0" + serial
	}

	f := fields{
		Subject: nameLines(p.Subject), Issuer: nameLines(p.Issuer), SubjectAltName: alternatives(p), InfoAccess: access(p),
		ValidFrom: certificateTime(p.NotBefore), ValidTo: certificateTime(p.NotAfter),
		Fingerprint: colons(one[:]), Fingerprint256: colons(two[:]), Fingerprint512: colons(five[:]),
		KeyUsage: extendedUsages(p), SerialNumber: serial, CA: p.BasicConstraintsValid && p.IsCA,
	}
	text, err := json.Marshal(f)
	return string(text), err
}

// attributeNames are OpenSSL's short names of name attributes, by OID.
var attributeNames = map[string]string{
	"2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
	"2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.17": "postalCode",
	"2.5.4.42": "GN", "1.2.840.113549.1.9.1": "emailAddress", "0.9.2342.19200300.100.1.25": "DC",
	"0.9.2342.19200300.100.1.1": "UID",
}

func nameLines(name pkix.Name) string {
	var lines []string
	for _, attribute := range name.Names {
		key := attribute.Type.String()
		if short, ok := attributeNames[key]; ok {
			key = short
		}
		lines = append(lines, fmt.Sprintf("%s=%v", key, attribute.Value))
	}
	return strings.Join(lines, "\n")
}

func alternatives(p *x509.Certificate) string {
	return strings.Join(slices.Concat(
		prefixed("DNS:", p.DNSNames), prefixed("IP Address:", p.IPAddresses), prefixed("email:", p.EmailAddresses),
		prefixed("URI:", p.URIs),
	), ", ")
}

func prefixed[T any](prefix string, items []T) (texts []string) {
	for _, item := range items {
		texts = append(texts, fmt.Sprint(prefix, item))
	}
	return texts
}

func access(p *x509.Certificate) string {
	return strings.Join(slices.Concat(
		prefixed("OCSP - URI:", p.OCSPServer), prefixed("CA Issuers - URI:", p.IssuingCertificateURL),
	), "\n")
}

func certificateTime(t time.Time) string { return t.UTC().Format("Jan _2 15:04:05 2006 GMT") }

func colons(sum []byte) string {
	return strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf("% X", sum)), " ", ":")
}

// usageOIDs are the OIDs of the extended key usages for which Go has constants.
var usageOIDs = map[x509.ExtKeyUsage]string{
	x509.ExtKeyUsageAny: "2.5.29.37.0", x509.ExtKeyUsageServerAuth: "1.3.6.1.5.5.7.3.1",
	x509.ExtKeyUsageClientAuth: "1.3.6.1.5.5.7.3.2", x509.ExtKeyUsageCodeSigning: "1.3.6.1.5.5.7.3.3",
	x509.ExtKeyUsageEmailProtection: "1.3.6.1.5.5.7.3.4", x509.ExtKeyUsageTimeStamping: "1.3.6.1.5.5.7.3.8",
	x509.ExtKeyUsageOCSPSigning: "1.3.6.1.5.5.7.3.9",
}

func extendedUsages(p *x509.Certificate) (usages []string) {
	for _, usage := range p.ExtKeyUsage {
		if oid, ok := usageOIDs[usage]; ok {
			usages = append(usages, oid)
		}
	}
	for _, oid := range p.UnknownExtKeyUsage {
		usages = append(usages, oid.String())
	}
	return usages
}

func certificateRaw(c *hostcall.Call) (any, error) {
	return hostcall.ObjectAt[*Certificate](c, 0).parsed.Raw, nil
}

func certificatePEM(c *hostcall.Call) (any, error) {
	block := &pem.Block{Type: "CERTIFICATE", Bytes: hostcall.ObjectAt[*Certificate](c, 0).parsed.Raw}
	return string(pem.EncodeToMemory(block)), nil
}

func certificateKey(c *hostcall.Call) (any, error) {
	return newPublic(hostcall.ObjectAt[*Certificate](c, 0).parsed.PublicKey, nil)
}

// certificateCheckHost is checkHost(certificate, host, subject, wildcards): it returns the matching name of the
// certificate.
func certificateCheckHost(c *hostcall.Call) (any, error) {
	p, wanted := hostcall.ObjectAt[*Certificate](c, 0).parsed, strings.ToLower(c.Text(1))
	names := slices.Clone(p.DNSNames)
	// The common name counts only if there is no other name.
	if subject := c.Text(2); subject == "always" || subject == "default" && len(names) == 0 {
		names = append(names, p.Subject.CommonName)
	}
	for _, name := range names {
		if wanted != "" && fits(strings.ToLower(name), wanted, c.Flag(3)) {
			return name, nil
		}
	}
	return nil, nil
}

// fits reports whether a host matches a name, whose first label may be a wildcard.
func fits(name, host string, wildcards bool) bool {
	if name == host {
		return true
	}
	rest, ok := strings.CutPrefix(name, "*.")
	label, domain, dotted := strings.Cut(host, ".")
	return ok && wildcards && dotted && label != "" && domain == rest && strings.Contains(rest, ".")
}

func certificateCheckEmail(c *hostcall.Call) (any, error) {
	p, email := hostcall.ObjectAt[*Certificate](c, 0).parsed, c.Text(1)
	emails := slices.Clone(p.EmailAddresses)
	for _, attribute := range p.Subject.Names {
		if attributeNames[attribute.Type.String()] == "emailAddress" && len(p.EmailAddresses) == 0 {
			emails = append(emails, fmt.Sprint(attribute.Value))
		}
	}
	if slices.Contains(emails, email) {
		return email, nil
	}
	return nil, nil
}

func certificateCheckIP(c *hostcall.Call) (any, error) {
	ip := net.ParseIP(c.Text(1))
	if ip == nil {
		return nil, hostcall.RefuseType("ERR_INVALID_ARG_VALUE", "Invalid IP")
	}
	if slices.ContainsFunc(hostcall.ObjectAt[*Certificate](c, 0).parsed.IPAddresses, ip.Equal) {
		return c.Text(1), nil
	}
	return nil, nil
}

// certificateCheckIssued reports whether the issuer name and key id of the first certificate match the second,
// which must be allowed to sign certificates.
func certificateCheckIssued(c *hostcall.Call) (any, error) {
	p, issuer := hostcall.ObjectAt[*Certificate](c, 0).parsed, hostcall.ObjectAt[*Certificate](c, 1).parsed
	if string(p.RawIssuer) != string(issuer.RawSubject) {
		return false, nil
	}
	if len(p.AuthorityKeyId) > 0 && len(issuer.SubjectKeyId) > 0 &&
		string(p.AuthorityKeyId) != string(issuer.SubjectKeyId) {
		return false, nil
	}
	return issuer.KeyUsage == 0 || issuer.KeyUsage&x509.KeyUsageCertSign != 0, nil
}

func certificateCheckPrivateKey(c *hostcall.Call) (any, error) {
	public, ok := hostcall.ObjectAt[*Certificate](c, 0).parsed.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	k := hostcall.ObjectAt[*Key](c, 1)
	return ok && k.private != nil && public.Equal(k.public), nil
}

func certificateVerify(c *hostcall.Call) (any, error) {
	p := hostcall.ObjectAt[*Certificate](c, 0).parsed
	issuer := &x509.Certificate{PublicKey: hostcall.ObjectAt[*Key](c, 1).public}
	return issuer.CheckSignature(p.SignatureAlgorithm, p.RawTBSCertificate, p.Signature) == nil, nil
}
