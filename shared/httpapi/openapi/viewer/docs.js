// Shows the description with Swagger UI. Nothing is asked of others: no validator, and the page's policy forbids it.
const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", shade);
shade();

SwaggerUIBundle({
  url: document.currentScript?.dataset.document ?? document.querySelector("script[data-document]").dataset.document,
  dom_id: "#docs",
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: false,
  validatorUrl: null,
});
