import { nanoid, customAlphabet, urlAlphabet } from "nanoid";
export async function main() {
  const id = nanoid(), digits = customAlphabet("0123456789", 12);
  return [id.length, [...id].every((c) => urlAlphabet.includes(c)), nanoid(5).length, /^\d{12}$/.test(digits()), new Set(Array.from({ length: 200 }, () => nanoid())).size, urlAlphabet.length];
}
