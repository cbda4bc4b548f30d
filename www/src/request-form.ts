/** The form: which findings of which inspection are asked for, and of whom. */

import type { FindingKind } from "inspection-findings";
import { byId, make } from "./element.js";
import { listedScenarios, scenarioOf } from "./scenario-list.js";
import { fakeService, realService, type Service } from "./service.js";

export interface FindingsRequest {
  inspectionKey: number | bigint;
  kind: FindingKind;
  service: () => Promise<Service>;
}

interface Events {
  load: (request: FindingsRequest) => void;
  cancel: () => void;
}

export class RequestForm {
  #form = byId<HTMLFormElement>("request");
  #scenario = byId<HTMLSelectElement>("scenario");
  #about = byId("scenario-about");
  #key = byId<HTMLInputElement>("inspection-key");
  #load = byId<HTMLButtonElement>("load");
  #cancel = byId<HTMLButtonElement>("cancel");
  #running = false;

  constructor({ load, cancel }: Events) {
    this.#scenario.append(
      ...listedScenarios.map(({ inspectionKey, title }) => make("option", { value: inspectionKey }, title)),
    );
    this.#scenario.addEventListener("change", () => {
      this.#key.value = this.#scenario.value;
      this.#describe();
    });
    this.#key.addEventListener("input", () => this.#describe());
    for (const radio of this.#form.querySelectorAll("input[name=service]")) {
      radio.addEventListener("change", () => this.#chooseService());
    }
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#running) {
        load(this.#read());
      }
    });
    this.#cancel.addEventListener("click", () => {
      if (this.#running) {
        cancel();
      }
    });
    this.#chooseService();
  }

  /** Whether a retrieval is under way. The buttons stay focusable, so that the keyboard does not lose its place. */
  set running(running: boolean) {
    this.#running = running;
    this.#load.setAttribute("aria-disabled", String(running));
    this.#cancel.setAttribute("aria-disabled", String(!running));
  }

  #read(): FindingsRequest {
    const fields = new FormData(this.#form);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const own = { baseUrl: text("baseUrl"), tokenHeader: text("tokenHeader"), token: text("token") };
    return {
      inspectionKey: readKey(text("inspectionKey")),
      kind: text("kind") as FindingKind,
      service: text("service") === "fake" ? fakeService : async () => realService(own),
    };
  }

  #chooseService(): void {
    const chosen = String(new FormData(this.#form).get("service"));
    for (const part of this.#form.querySelectorAll<HTMLElement>("[data-service]")) {
      part.hidden = part.dataset.service !== chosen;
    }
    byId<HTMLInputElement>("base-url").required = chosen === "real";
    this.#form.dataset.service = chosen;
    this.#describe();
  }

  #describe(): void {
    const scenario = scenarioOf(this.#key.value.trim());
    this.#scenario.value = scenario.inspectionKey;
    this.#about.textContent =
      this.#form.dataset.service === "fake"
        ? scenario.about
        : "It has to allow this page’s origin and the token’s header (CORS). Nothing that you type is kept.";
  }
}

function readKey(text: string): number | bigint {
  const key = Number(text);
  return Number.isSafeInteger(key) ? key : BigInt(text);
}
