/**
 * The fault laboratory: how the built-in service is dialled, always as the page's address tells it.
 *
 *     const laboratory = createLaboratory({ onChange: (settings) => … }); // reads the address, and tidies it up
 *     byId("laboratory").append(laboratory.element); // a <details>, closed; to be placed in a <form> or not
 *     scenarioNamed(laboratory.settings.scenario);   // what the list of scenarios is to show at the beginning
 *     laboratory.choose("flaky");                    // whenever another scenario is chosen there
 *     startFakeService(laboratory.settings);         // at every start of a retrieval
 *
 * `onChange` is called after every change, by hand or by `choose`, but not for what the address tells at the beginning.
 * The fields have no names, so that they are no part of a form's data. The style is in style/laboratory.css.
 */

import { dialledInspection } from "../../../tests/fake-backend/dialled.js";
import { countsOf } from "../../../tests/fake-backend/inspection.js";
import type { ScenarioName } from "../../../tests/fake-backend/scenarios.js";
import { dialNames, presetOf, ranges, readDial, type Settings } from "../../../tests/fake-backend/settings.js";
import { makeButton } from "../button.js";
import { make } from "../element.js";
import { counted } from "../format.js";
import { Address } from "./address.js";
import { Dial } from "./dial.js";
import { type DialName, faults, type Scales, sizes } from "./scales.js";

export type { Settings };

export interface LaboratoryOptions {
  onChange?: (settings: Settings) => void;
}

export function createLaboratory(options: LaboratoryOptions = {}): Laboratory {
  return new Laboratory(options);
}

export class Laboratory {
  readonly element: HTMLElement;
  #onChange: (settings: Settings) => void;
  #address = new Address();
  #settings = this.#address.settings;
  #dials = new Map<DialName, Dial>();
  #seed = make("input", {
    id: "laboratory-seed",
    type: "number",
    inputmode: "numeric",
    autocomplete: "off",
    min: String(ranges.seed.least),
    max: String(ranges.seed.most),
  });
  #dialled = make("span", { class: "laboratory-dialled" });
  #extent = make("p", { class: "laboratory-extent" });
  #said = make("output", { class: "laboratory-said" });

  constructor({ onChange = () => {} }: LaboratoryOptions) {
    this.#onChange = onChange;
    this.element = make(
      "details",
      { class: "laboratory" },
      make("summary", {}, "Fault laboratory", this.#dialled),
      make("fieldset", { class: "dials" }, make("legend", {}, "Faults"), ...this.#makeDials(faults)),
      make(
        "fieldset",
        { class: "dials" },
        make("legend", {}, "Inspection"),
        ...this.#makeDials(sizes),
        this.#makeSeed(),
        this.#extent,
      ),
      make("div", { class: "laboratory-actions" }, ...this.#makeButtons(), this.#said),
    );
    this.#show();
    this.#address.write(this.#settings);
  }

  /** What the controls say now. */
  get settings(): Settings {
    return { ...this.#settings };
  }

  /** Another scenario: what was dialled stays so, everything else becomes as the new scenario has it. */
  choose(scenario: ScenarioName): void {
    if (scenario === this.#settings.scenario) {
      return;
    }
    const before = presetOf(this.#settings.scenario);
    const settings = presetOf(scenario);
    for (const dial of dialNames) {
      if (this.#settings[dial] !== before[dial]) {
        settings[dial] = this.#settings[dial];
      }
    }
    this.#change(settings);
  }

  #change(settings: Settings): void {
    this.#settings = settings;
    this.#said.textContent = "";
    this.#show();
    this.#address.write(settings);
    this.#onChange(this.settings);
  }

  #show(): void {
    for (const [name, dial] of this.#dials) {
      dial.value = this.#settings[name];
    }
    // What is being typed is left alone as long as it means the same.
    if (readDial("seed", this.#seed.value) !== this.#settings.seed) {
      this.#seed.value = String(this.#settings.seed);
    }
    this.#dialled.textContent = this.#dialledInWords();
    this.#extent.textContent = extentInWords(this.#settings);
  }

  /** Whatever is not as the scenario has it. */
  #dialledInWords(): string {
    const preset = presetOf(this.#settings.scenario);
    const dialled = [...this.#dials]
      .filter(([name]) => this.#settings[name] !== preset[name])
      .map(([, dial]) => dial.summary);
    const seed = this.#settings.seed === preset.seed ? [] : [`Seed ${this.#settings.seed}`];
    return [...dialled, ...seed].join(" · ");
  }

  #makeDials(scales: Scales): HTMLElement[] {
    return scales.map(([name, scale]) => {
      const dial = new Dial(name, scale, (value) => this.#change({ ...this.#settings, [name]: value }));
      this.#dials.set(name, dial);
      return dial.element;
    });
  }

  #makeSeed(): HTMLElement {
    this.#seed.addEventListener("input", () => {
      const seed = readDial("seed", this.#seed.value);
      if (seed !== undefined) {
        this.#change({ ...this.#settings, seed });
      }
    });
    this.#seed.addEventListener("blur", () => this.#show());
    return make("div", { class: "dial" }, make("label", { for: this.#seed.id }, "Seed"), this.#seed);
  }

  #makeButtons(): HTMLElement[] {
    return [
      makeButton("outlined", "Reset", () => this.#change(presetOf(this.#settings.scenario))),
      makeButton("outlined", "Copy link", () => this.#copyLink()),
    ];
  }

  async #copyLink(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#address.link(this.#settings));
      this.#said.textContent = "Copied.";
    } catch {
      this.#said.textContent = "The browser does not allow it. Copy the page’s address: it is the link.";
    }
  }
}

function extentInWords(settings: Settings): string {
  const inspection = dialledInspection(settings);
  if (inspection === undefined) {
    return "The service knows no such inspection, whatever its size.";
  }
  const counts = countsOf(inspection);
  return [
    `${counted(counts.SentimentFindings, "sentiment finding")} in ${counted(counts.SentimentPartitions, "partition")}`,
    `${counted(counts.TopicFindings, "topic finding")} in ${counted(counts.TopicPartitions, "partition")}.`,
  ].join(", ");
}
