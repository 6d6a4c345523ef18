import createError from "http-errors";
export async function main() { const e = createError(404, "gone", { a: 1 }); return [e.status, e.message, e.name, e.expose, e.a, createError(500).message, new createError.BadRequest().statusCode, createError.isHttpError(e), createError(418).message]; }
