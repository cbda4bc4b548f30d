/** The comparison: ten lines of `fetch` and the package, beside each other, load from the same kind of service. */

import { withFetch } from "./comparison/with-fetch.js";
import fetchCode from "./comparison/with-fetch.js?raw";
import { withPackage } from "./comparison/with-package.js";
import packageCode from "./comparison/with-package.js?raw";
import { announce, byId, counted, duration, make, number, onPress, setDisabled, textOf } from "./page.js";
import { FakeService } from "./service/fake-service.js";

/** The milliseconds for which the network is broken, and those before an interruption that begins the load, too. */
const outage = 1_500;
const lead = 700;

const counters = ["Findings", "Requests", "Retries", "Token renewals"];

type Run = (service: FakeService, onFindings: (findings: number, retries: number) => void) => Promise<unknown[]>;

export class Comparison {
  readonly #sides = [
    new Side("fetch, ten lines", fetchCode, (service) => {
      const { baseUrl, fetch } = service.options;
      return withFetch(fetch, { url: `${baseUrl}Findings/42`, token: () => service.token });
    }),
    new Side("inspection-findings", packageCode, (service, onFindings) => {
      const { baseUrl, fetch } = service.options;
      const tokens = { token: () => service.token, renewed: () => service.renewToken() };
      return withPackage(fetch, { baseUrl, ...tokens }, ({ findingsDone, retries }) =>
        onFindings(findingsDone, retries),
      );
    }),
  ];
  #isRunning = false;

  constructor() {
    byId("sides").append(...this.#sides.map(({ element }) => element));
    onPress(byId("compare"), () => this.#run());
    onPress(byId("break"), () => this.#interrupt((service) => service.breakNetwork(outage)));
    onPress(byId("expire"), () => this.#interrupt((service) => service.expireToken()));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    setDisabled(byId("compare"), true);
    await Promise.all(this.#sides.map((side) => side.run()));
    setDisabled(byId("compare"), false);
    this.#isRunning = false;
    announce(this.#sides.map((side) => side.summary).join(" "));
  }

  /** Interrupts both sides while they load partitions. */
  async #interrupt(interruption: (service: FakeService) => void): Promise<void> {
    const wait = this.#isRunning ? 0 : lead;
    if (!this.#isRunning) this.#run();
    do await new Promise((resolve) => setTimeout(resolve, wait));
    while (this.#sides.some(({ service }) => (service?.requests ?? 0) < 2));
    for (const { service } of this.#sides) if (service !== undefined) interruption(service);
  }
}

class Side {
  readonly element: HTMLElement;
  service: FakeService | undefined;
  readonly #title: string;
  readonly #run: Run;
  readonly #state = make("p", { class: "side-state" }, "Not loaded yet");
  readonly #numbers = counters.map(() => make("dd", {}, "–"));

  constructor(title: string, code: string, run: Run) {
    this.#title = title;
    this.#run = run;
    this.element = make(
      "article",
      { class: "side card", "aria-label": title, "data-state": "ready" },
      make("h3", {}, title),
      this.#state,
      make("dl", {}, ...counters.map((name, at) => make("div", {}, make("dt", {}, name), this.#numbers[at] ?? ""))),
      make("pre", { tabindex: "0", "aria-label": `The code: ${title}` }, make("code", {}, shownCode(code))),
    );
  }

  /** The outcome in words. */
  get summary(): string {
    return `${this.#title}: ${this.#state.textContent}`;
  }

  async run(): Promise<void> {
    const service = new FakeService("comparison");
    const begun = performance.now();
    let findings = 0;
    let retries = 0;
    this.service = service;
    const show = () => {
      for (const [at, value] of [findings, service.requests, retries, service.renewals].entries()) {
        (this.#numbers[at] as HTMLElement).textContent = number(value);
      }
    };
    const clock = setInterval(show, 100);
    this.#show("loading", "Loading");
    try {
      // resume() counts its retries from 0.
      let latest = 0;
      const result = await this.#run(service, (received, counted) => {
        findings = received;
        retries += Math.max(0, counted - latest);
        latest = counted;
      });
      findings = result.length;
      this.#show("complete", `All ${counted(findings, "finding")} after ${duration(performance.now() - begun)}`);
    } catch (error) {
      this.#show("failed", `Failed after ${duration(performance.now() - begun)}: ${textOf(error)}`);
    }
    service.close();
    clearInterval(clock);
    show();
  }

  #show(state: string, text: string): void {
    this.element.dataset.state = state;
    this.#state.textContent = text;
  }
}

/** The code without the comments for the compiler. */
function shownCode(code: string): string {
  return code.replace(/\/\*\*.*?\*\/\n/s, "").trim();
}
