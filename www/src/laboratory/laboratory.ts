/**
 * The fault laboratory: the settings of the built-in service, kept in sync with the page's URL. Usage:
 *
 *     const laboratory = createLaboratory({ onChange: (settings) => … }); // reads and normalises the URL
 *     byId("laboratory").append(laboratory.element); // a closed <details>, inside or outside a <form>
 *     scenarioNamed(laboratory.settings.scenario);   // the scenario to show first
 *     laboratory.choose("flaky");                    // when another scenario is chosen
 *     startFakeService(laboratory.settings);         // at the start of every retrieval
 *
 * `onChange` is called after every change, by hand or by `choose`, but not for the initial settings. The fields have no names,
 * so that form data do not include them. The styles are in style/laboratory.css.
 */

import type { ScenarioName } from "inspection-findings/testing";
import {
  countsOf,
  dialledInspection,
  dialNames,
  presetOf,
  ranges,
  readDial,
  type Settings,
} from "../../../tests/fake-backend/demo.js";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { counted } from "../page/format.js";
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
  #changes = make("span", { class: "laboratory-changes" });
  #size = make("p", { class: "laboratory-size" });
  #state = make("output", { class: "laboratory-state" });

  constructor({ onChange = () => {} }: LaboratoryOptions) {
    this.#onChange = onChange;
    this.element = make(
      "details",
      { class: "laboratory" },
      make("summary", {}, "Fault laboratory", this.#changes),
      make("fieldset", { class: "dials" }, make("legend", {}, "Faults"), ...this.#makeDials(faults)),
      make(
        "fieldset",
        { class: "dials" },
        make("legend", {}, "Inspection"),
        ...this.#makeDials(sizes),
        this.#makeSeed(),
        this.#size,
      ),
      make("div", { class: "laboratory-actions" }, ...this.#makeButtons(), this.#state),
    );
    this.#show();
    this.#address.write(this.#settings);
  }

  /** The current settings. */
  get settings(): Settings {
    return { ...this.#settings };
  }

  /** Changes the scenario. Settings changed by hand stay; all others become those of the new scenario. */
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
    this.#state.textContent = "";
    this.#show();
    this.#address.write(settings);
    this.#onChange(this.settings);
  }

  #show(): void {
    for (const [name, dial] of this.#dials) {
      dial.value = this.#settings[name];
    }
    // Does not overwrite what the reader types while it means the same number.
    if (readDial("seed", this.#seed.value) !== this.#settings.seed) {
      this.#seed.value = String(this.#settings.seed);
    }
    this.#changes.textContent = this.#changesInWords();
    this.#size.textContent = sizeInWords(this.#settings);
  }

  /** The settings that differ from the scenario, in words. */
  #changesInWords(): string {
    const preset = presetOf(this.#settings.scenario);
    const changes = [...this.#dials]
      .filter(([name]) => this.#settings[name] !== preset[name])
      .map(([, dial]) => dial.summary);
    const seed = this.#settings.seed === preset.seed ? [] : [`Seed ${this.#settings.seed}`];
    return [...changes, ...seed].join(" · ");
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
      this.#state.textContent = "Copied.";
    } catch {
      this.#state.textContent =
        "The browser does not allow this page to copy. Copy the page’s URL instead: it is the link.";
    }
  }
}

function sizeInWords(settings: Settings): string {
  const inspection = dialledInspection(settings);
  if (inspection === undefined) {
    return "The service has no inspection with this key, whatever its size.";
  }
  const counts = countsOf(inspection);
  return [
    `${counted(counts.SentimentFindings, "sentiment finding")} in ${counted(counts.SentimentPartitions, "partition")}`,
    `${counted(counts.TopicFindings, "topic finding")} in ${counted(counts.TopicPartitions, "partition")}.`,
  ].join(", ");
}
