// Buffer.
type BufferEncoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "binary" | "ascii" | "utf16le" | "ucs2";
/** Node's Buffer: a Uint8Array with text and numbers. */
declare const Buffer: {
  from(value: string | ArrayBuffer | ArrayLike<number> | { type: "Buffer"; data: number[] }, encodingOrOffset?: BufferEncoding | number, length?: number): Buffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: Uint8Array[], length?: number): Buffer;
  byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: any): value is Buffer;
  isEncoding(name: string): name is BufferEncoding;
};
interface Buffer extends Omit<Uint8Array, "slice" | "subarray" | "toString"> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  write(text: string, offset?: number, length?: number, encoding?: BufferEncoding): number;
  equals(other: Uint8Array): boolean;
  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, start?: number, end?: number): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  /** Shares memory, unlike Array's slice. */
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  /** readUInt8 … writeDoubleBE, also with BigInt and 1 to 6 bytes, as in Node. */
  [readOrWrite: `${"read" | "write"}${string}`]: (...args: any[]) => any;
}

