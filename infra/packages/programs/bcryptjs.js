import bcrypt from "bcryptjs";
export async function main() {
  const hash = bcrypt.hashSync("secret", "$2a$04$abcdefghijklmnopqrstuu");
  return [hash, await bcrypt.compare("secret", hash), bcrypt.compareSync("wrong", hash), bcrypt.getRounds(hash), bcrypt.genSaltSync(4).slice(0, 7), (await bcrypt.hash("密码", 4)).length];
}
