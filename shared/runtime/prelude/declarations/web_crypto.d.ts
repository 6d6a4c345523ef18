// The global crypto.

type DigestName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
type CurveName = "P-256" | "P-384" | "P-521";
type KeyUsage =
  | "encrypt" | "decrypt" | "sign" | "verify" | "deriveBits" | "deriveKey" | "wrapKey" | "unwrapKey";
interface JsonWebKey {
  kty?: string;
  [member: string]: any;
}
declare class CryptoKey {
  private constructor();
  readonly type: "secret" | "public" | "private";
  readonly extractable: boolean;
  readonly algorithm: any;
  readonly usages: KeyUsage[];
}
interface CryptoKeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}
/** The name alone, or with what the algorithm needs. */
type Algorithm = string | {
  name: string;
  hash?: DigestName | { name: DigestName };
  iv?: Bytes;
  counter?: Bytes;
  length?: number;
  additionalData?: Bytes;
  tagLength?: number;
  label?: Bytes;
  saltLength?: number;
  modulusLength?: number;
  publicExponent?: Uint8Array;
  namedCurve?: CurveName;
  public?: CryptoKey;
  salt?: Bytes;
  info?: Bytes;
  iterations?: number;
};
/**
 * AES-CBC, AES-CTR, AES-GCM, HMAC, RSASSA-PKCS1-v1_5, RSA-PSS, RSA-OAEP, ECDSA, ECDH, Ed25519, X25519, PBKDF2, HKDF;
 * keys as raw, pkcs8, spki, jwk. What is refused rejects with a DOMException.
 */
interface SubtleCrypto {
  digest(algorithm: DigestName | { name: DigestName }, data: Bytes): Promise<ArrayBuffer>;
  encrypt(algorithm: Algorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  decrypt(algorithm: Algorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  sign(algorithm: Algorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  verify(algorithm: Algorithm, key: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean>;
  deriveBits(algorithm: Algorithm, key: CryptoKey, length: number | null): Promise<ArrayBuffer>;
  deriveKey(
    algorithm: Algorithm, key: CryptoKey, derived: Algorithm, extractable: boolean, usages: KeyUsage[],
  ): Promise<CryptoKey>;
  importKey(
    format: "jwk", key: JsonWebKey, algorithm: Algorithm, extractable: boolean, usages: KeyUsage[],
  ): Promise<CryptoKey>;
  importKey(
    format: "raw" | "pkcs8" | "spki", key: Bytes, algorithm: Algorithm, extractable: boolean, usages: KeyUsage[],
  ): Promise<CryptoKey>;
  exportKey(format: "jwk", key: CryptoKey): Promise<JsonWebKey>;
  exportKey(format: "raw" | "pkcs8" | "spki", key: CryptoKey): Promise<ArrayBuffer>;
  /** A pair for RSA and curves, else one key. */
  generateKey(algorithm: Algorithm, extractable: boolean, usages: KeyUsage[]): Promise<any>;
  wrapKey(format: string, key: CryptoKey, wrappingKey: CryptoKey, algorithm: Algorithm): Promise<ArrayBuffer>;
  unwrapKey(
    format: string, wrapped: Bytes, key: CryptoKey, algorithm: Algorithm, keyAlgorithm: Algorithm,
    extractable: boolean, usages: KeyUsage[],
  ): Promise<CryptoKey>;
}
interface Crypto {
  randomUUID(): string;
  /** At most 65,536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  readonly subtle: SubtleCrypto;
}
declare var crypto: Crypto;
