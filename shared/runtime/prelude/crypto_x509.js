// X509Certificate of the crypto module.
(function (host, load) {
  "use strict";
  const { call, failType, needText, output, plain } = load("crypto_args");
  const { objectOf, isKeyObject, handleOf } = load("crypto_secret");
  let handleOfCertificate;

  // keyMembers are what a legacy object says of the key of a certificate.
  const curves = { __proto__: null, prime256v1: ["P-256", 256], secp384r1: ["P-384", 384], secp521r1: ["P-521", 521] };
  function keyMembers(key) {
    const { namedCurve, modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
    if (modulusLength !== undefined) {
      const modulus = load("buffer").Buffer.from(key.export({ format: "jwk" }).n, "base64url").toString("hex").toUpperCase();
      return { modulus, bits: modulusLength, exponent: `0x${publicExponent.toString(16)}`, pubkey: key.export({ type: "spki", format: "der" }) };
    }
    if (namedCurve === undefined) return {};
    const { 0: nistCurve, 1: bits } = curves[namedCurve] ?? [];
    return { bits, pubkey: output(call("key.toPoint", handleOf(key))), asn1Curve: namedCurve, nistCurve };
  }

  class X509Certificate {
    #handle; #fields;
    static { handleOfCertificate = (v) => (typeof v === "object" && v !== null && #handle in v ? v.#handle : undefined); }
    constructor(buffer) {
      const data = plain(buffer);
      if (data === undefined) failType("buffer", "of type string or an instance of Buffer, TypedArray, or DataView", buffer);
      this.#handle = call("x509.parse", data);
      this.#fields = JSON.parse(call("x509.fields", this.#handle));
    }
    get subject() { return this.#fields.subject; }
    get issuer() { return this.#fields.issuer; }
    get subjectAltName() { return this.#fields.subjectAltName; }
    get infoAccess() { return this.#fields.infoAccess; }
    get validFrom() { return this.#fields.validFrom; }
    get validTo() { return this.#fields.validTo; }
    get fingerprint() { return this.#fields.fingerprint; }
    get fingerprint256() { return this.#fields.fingerprint256; }
    get fingerprint512() { return this.#fields.fingerprint512; }
    get keyUsage() { return this.#fields.keyUsage; }
    get serialNumber() { return this.#fields.serialNumber; }
    get ca() { return this.#fields.ca; }
    get issuerCertificate() { return undefined; }
    get raw() { return output(call("x509.raw", this.#handle)); }
    get publicKey() { return objectOf("public", call("x509.key", this.#handle)); }
    toLegacyObject() {
      const names = (text) => {
        const result = Object.create(null);
        for (const line of (text ?? "").split("\n")) {
          const at = line.indexOf("="), name = line.slice(0, at), value = line.slice(at + 1);
          if (at > 0) result[name] = result[name] === undefined ? value : [].concat(result[name], value);
        }
        return result;
      };
      const { subjectAltName, infoAccess, fingerprint, fingerprint256, fingerprint512, keyUsage, serialNumber, ca, validFrom, validTo } = this.#fields;
      const access = infoAccess === undefined ? undefined : Object.create(null);
      for (const line of (infoAccess ?? "").split("\n").filter(Boolean)) (access[line.slice(0, line.indexOf(":"))] ??= []).push(line.slice(line.indexOf(":") + 1));
      const result = { subject: names(this.subject), issuer: names(this.issuer), subjectaltname: subjectAltName, infoAccess: access, ca, ...keyMembers(this.publicKey), valid_from: validFrom, valid_to: validTo, fingerprint, fingerprint256, fingerprint512, ext_key_usage: keyUsage, serialNumber, raw: this.raw };
      for (const name of Object.keys(result)) if (result[name] === undefined) delete result[name];
      return result;
    }
    toString() { return call("x509.pem", this.#handle); }
    toJSON() { return this.toString(); }
    checkHost(name, options) {
      needText(name, "name");
      return call("x509.checkHost", this.#handle, name, options?.subject ?? "default", options?.wildcards ?? true);
    }
    checkEmail(email) { return call("x509.checkEmail", this.#handle, needText(email, "email")); }
    checkIP(ip) { return call("x509.checkIP", this.#handle, needText(ip, "ip")); }
    checkIssued(other) {
      const handle = handleOfCertificate(other);
      if (handle === undefined) failType("otherCert", "an instance of X509Certificate", other);
      return call("x509.checkIssued", this.#handle, handle);
    }
    checkPrivateKey(key) {
      if (!isKeyObject(key)) failType("pkey", "an instance of KeyObject", key);
      return call("x509.checkPrivateKey", this.#handle, handleOf(key));
    }
    verify(key) {
      if (!isKeyObject(key)) failType("pkey", "an instance of KeyObject", key);
      return call("x509.verify", this.#handle, handleOf(key));
    }
  }

  return { __proto__: null, X509Certificate };
});
