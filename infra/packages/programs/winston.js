import winston from "winston";
import Transport from "winston-transport";
export async function main() { const seen = [], T = class extends Transport { log(info, next) { seen.push([info.level, info.message, info[Symbol.for("message")]]); next(); } }; const l = winston.createLogger({ level: "info", format: winston.format.combine(winston.format.splat(), winston.format.json()), transports: [new T()] }); l.info("a %s", "b"); l.debug("no"); l.child({ k: 1 }).error(new Error("x").message); await new Promise((ok) => setTimeout(ok, 20)); return [seen]; }
