// Somebody reads the description: it loads under its policy, asks nobody else, finds an operation and opens it.

/**
 * What axe finds in Swagger UI's own elements, which no style changes. A copy button inside the line that opens an
 * operation, sections two levels below the title, selects whose labels stand beside them, and what stands above the
 * operations outside of a landmark: it can all be reached and read.
 */
const SWAGGER = ["nested-interactive", "heading-order", "select-name", "region"];

export async function play(stage) {
  const page = await stage.open({ signedIn: false });
  const asked = new Set();
  page.on("request", (request) => request.url().startsWith("data:") || asked.add(new URL(request.url()).origin));

  await page.goto(stage.base + "/docs");
  await page.getByRole("heading", { name: /minicloud/ }).first().waitFor();
  await page.getByPlaceholder("Filter by tag or path").fill("cloud-function/{name}/debug");
  const operation = page.locator("[id^=operations-]").filter({ hasText: "/debug/" }).first(); // its twin under /userve/ has the same words
  await operation.waitFor();
  await operation.getByRole("button").first().click();
  await operation.getByText("Responses", { exact: true }).first().waitFor();
  stage.check((await operation.getByText("200", { exact: true }).count()) > 0, "the operation that was opened does not say what it answers");
  stage.check([...asked].every((origin) => origin === stage.base), "the page asked " + [...asked].join(", "));
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await stage.screenshot("operation-" + theme);
    await stage.axe(`an operation (${theme})`, { judged: SWAGGER });
  }

  const description = await (await fetch(stage.base + "/openapi.json")).json();
  stage.check(description.openapi.startsWith("3.1"), "the description is " + description.openapi);
}
