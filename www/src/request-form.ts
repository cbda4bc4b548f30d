/** The form: which findings to load, and from which service. The page's URL has the scenario, but never a service or a token. */

import type { FindingKind, Options } from "inspection-findings";
import { byId, make, onPress, setDisabled } from "./page.js";
import { FakeService } from "./service/fake-service.js";
import { listed, type ScenarioId, scenarios } from "./service/scenarios.js";

export interface LoadRequest {
  inspectionKey: string;
  kind: FindingKind;
  options: Options;
  /** The built-in service; undefined for the reader's own. */
  fake?: FakeService;
}

const own = "own";

export class RequestForm {
  readonly #form = byId<HTMLFormElement>("request");
  readonly #scenario = byId<HTMLSelectElement>("scenario");
  readonly #load = byId("load");
  readonly #cancel = byId("cancel");
  readonly #baseUrl = byId<HTMLInputElement>("base-url");
  readonly #token = byId<HTMLInputElement>("token");
  #origin: string | undefined;

  constructor(load: (request: LoadRequest) => void, cancel: () => void) {
    const options = listed.map((id) => make("option", { value: id }, scenarios[id].title));
    this.#scenario.append(...options, make("option", { value: own }, "Your own service …"));
    this.#scenario.value = new URLSearchParams(location.search).get("scenario") ?? "";
    if (this.#scenario.value === "" || this.#scenario.value === own) this.#scenario.value = "story";
    this.#scenario.addEventListener("change", () => this.#showScenario());
    this.#baseUrl.addEventListener("input", () => this.#checkOrigin());
    byId("token-header").addEventListener("change", () => this.#checkOrigin());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#load.ariaDisabled !== "true") load(this.#read());
    });
    onPress(this.#cancel, cancel);
    this.#showScenario();
    this.#checkOrigin();
  }

  /** Loads what the form says, as if its button was pressed. */
  submit(): void {
    this.#form.requestSubmit();
  }

  set isLoading(isLoading: boolean) {
    setDisabled(this.#load, isLoading);
    setDisabled(this.#cancel, !isLoading);
  }

  #read(): LoadRequest {
    const kind = byId<HTMLSelectElement>("kind").value as FindingKind;
    const scenario = this.#scenario.value;
    if (scenario === own) {
      const inspectionKey = byId<HTMLInputElement>("inspection-key").value.trim();
      const baseUrl = this.#baseUrl.value.trim();
      const header = byId<HTMLSelectElement>("token-header").value;
      const options = { baseUrl, headers: header === "" ? {} : { [header]: this.#token.value.trim() } };
      return { inspectionKey, kind, options };
    }
    const fake = new FakeService(scenario as ScenarioId);
    const url = new URL(location.href);
    url.searchParams.set("scenario", scenario);
    history.replaceState(history.state, "", url);
    const inspectionKey = scenario === "unknown-inspection" ? "404" : "42";
    return { inspectionKey, kind, options: fake.options, fake };
  }

  #showScenario(): void {
    const isOwn = this.#scenario.value === own;
    byId("own").hidden = !isOwn;
    byId<HTMLFieldSetElement>("own").disabled = !isOwn;
    byId("about").hidden = isOwn;
    byId("about").textContent = isOwn ? "" : scenarios[this.#scenario.value as ScenarioId].about;
  }

  /** Checks the base URL. A token belongs to the origin for which it was typed: another origin empties the field. */
  #checkOrigin(): void {
    const url = URL.parse(this.#baseUrl.value.trim());
    const origin = url?.origin;
    if (origin !== this.#origin && this.#origin !== undefined) this.#token.value = "";
    this.#origin = origin ?? this.#origin;
    this.#token.disabled = byId<HTMLSelectElement>("token-header").value === "";
    this.#token.required = !this.#token.disabled;
    this.#baseUrl.setCustomValidity(
      url === null || /^https?:$/.test(url.protocol) ? "" : "Type a URL that begins with https.",
    );
  }
}
