/** The form: which findings of which inspection to load, and from which service. */

import type { FindingKind } from "inspection-findings";
import { createLaboratory, type Settings } from "../laboratory/laboratory.js";
import { byId, make } from "../page/element.js";
import { checkInspectionKey, readInspectionKey } from "../real-service/inspection-key.js";
import { createRealService, type TokenHeader } from "../real-service/real-service.js";
import { fakeService } from "../service/lazy-fake-service.js";
import type { Service } from "../service/service.js";
import { type WorkLocation, workLocationInUrl, writeWorkLocation } from "../service/work-location.js";
import { listedScenarios, scenarioNamed, scenarioOf } from "./scenario-list.js";

export interface FindingsRequest {
  inspectionKey: number | bigint;
  kind: FindingKind;
  workLocation: WorkLocation;
  service: () => Promise<Service>;
  /** What is loaded, and from a service of which behaviour: the same for two requests that can be compared. */
  subject: string;
  /** The reader's own service, if it is chosen. */
  own: { baseUrl: string; tokenHeader: TokenHeader | undefined } | undefined;
}

interface Events {
  load: (request: FindingsRequest) => void;
  cancel: () => void;
}

export class RequestForm {
  #form = byId<HTMLFormElement>("request");
  #scenario = byId<HTMLSelectElement>("scenario");
  #about = byId("about");
  #key = byId<HTMLInputElement>("inspection-key");
  #load = byId<HTMLButtonElement>("load");
  #cancel = byId<HTMLButtonElement>("cancel");
  #realService = createRealService();
  #laboratory = createLaboratory({ onChange: () => this.#showScenario() });
  #running = false;

  constructor({ load, cancel }: Events) {
    this.#scenario.append(...listedScenarios.map(({ name, title }) => make("option", { value: name }, title)));
    this.#scenario.addEventListener("change", () =>
      this.#laboratory.choose(this.#scenario.value as Settings["scenario"]),
    );
    byId("laboratory").append(this.#laboratory.element);
    byId("real-service").append(this.#realService.element);
    checkInspectionKey(this.#key);
    this.#key.addEventListener("input", () => this.#followKey());
    for (const radio of this.#form.querySelectorAll("input[name=service]")) {
      radio.addEventListener("change", () => this.#chooseService());
    }
    this.#chooseWorkLocation(workLocationInUrl());
    for (const radio of this.#form.querySelectorAll<HTMLInputElement>("input[name=work-location]")) {
      radio.addEventListener("change", () => this.#chooseWorkLocation(radio.value as WorkLocation));
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
    this.#showScenario();
  }

  /** Loads what the form says, as if its button was pressed. */
  submit(): void {
    this.#form.requestSubmit();
  }

  /** Whether a retrieval runs. The buttons stay focusable, so that the keyboard focus is not lost. */
  get running(): boolean {
    return this.#running;
  }

  set running(running: boolean) {
    this.#running = running;
    this.#load.setAttribute("aria-disabled", String(running));
    this.#cancel.setAttribute("aria-disabled", String(!running));
  }

  #read(): FindingsRequest {
    const fields = new FormData(this.#form);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const own = text("service") === "real" ? this.#realService.read() : undefined;
    const { settings } = this.#laboratory;
    const workLocation = text("work-location") as WorkLocation;
    return {
      subject: JSON.stringify([own?.baseUrl ?? settings, text("inspectionKey"), text("kind")]),
      inspectionKey: readInspectionKey(text("inspectionKey")),
      kind: text("kind") as FindingKind,
      workLocation,
      service: async () =>
        own === undefined ? fakeService(settings) : { options: { baseUrl: own.baseUrl, headers: own.headers } },
      own,
    };
  }

  #chooseWorkLocation(workLocation: WorkLocation): void {
    for (const radio of this.#form.querySelectorAll<HTMLInputElement>("input[name=work-location]")) {
      radio.checked = radio.value === workLocation;
    }
    writeWorkLocation(workLocation);
  }

  #chooseService(): void {
    const chosen = String(new FormData(this.#form).get("service"));
    for (const part of this.#form.querySelectorAll<HTMLElement>("[data-service]")) {
      part.hidden = part.dataset.service !== chosen;
    }
    this.#realService.element.disabled = chosen !== "real";
    this.#form.dataset.service = chosen;
  }

  /** Shows the scenario, and the key of its inspection in the built-in service. */
  #showScenario(): void {
    const { name, inspectionKey, about } = scenarioNamed(this.#laboratory.settings.scenario);
    this.#scenario.value = name;
    this.#about.textContent = about;
    if (scenarioOf(this.#key.value.trim()).name !== name) {
      this.#key.value = inspectionKey;
      this.#key.dispatchEvent(new Event("input"));
    }
  }

  #followKey(): void {
    if (this.#form.dataset.service === "fake") {
      this.#laboratory.choose(scenarioOf(this.#key.value.trim()).name);
    }
  }
}
