import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from "preact-iso";

import { pages } from "./page/pages";
import { SignIn } from "./page/sign-in";
import { Start } from "./page/start";
import { path } from "./place";
import { refresh, session } from "./session";
import { NotFound } from "./shell/not-found";
import { Shell } from "./shell/shell";
import { language } from "./text";
import { Spinner } from "./ui/spinner";
import { AskBeforeLeaving } from "./ui/unsaved";

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

/** The whole page: who is signed in decides whether there is more than a sign-in form. */
export function App() {
  useEffect(() => void refresh(), []);
  if (session.value === undefined) return <Spinner />;
  if (session.value === null) return <SignIn />;
  return (
    <LocationProvider scope="/console">
      <AskBeforeLeaving>
        <Routes />
      </AskBeforeLeaving>
    </LocationProvider>
  );
}

function Routes() {
  path.value = useLocation().path;
  return (
    <Shell>
      <ErrorBoundary>
        <Router>
          {pages.map(({ path, component }) => (
            <Route key={path} path={"/console/:app/:env" + path} component={component} />
          ))}
          <Route path="/console" component={Start} />
          <Route path="/console/:app" component={Start} />
          <Route default component={NotFound} />
        </Router>
      </ErrorBoundary>
    </Shell>
  );
}
