// X509Certificate of the crypto module.
(function (host, load) {
  "use strict";
  const { call, failType, needText, output, plain } = load("crypto_args");
  const { objectOf, isKeyObject, handleOf } = load("crypto_secret");
  let handleOfCertificate;

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
