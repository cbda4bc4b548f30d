/** The export panel: saves the shown findings as a file, and shows the code that fetches them. */

import type { FindingKind } from "inspection-findings";
import { createCodePanel } from "../code-panel/code-panel.js";
import type { Explorer } from "../explorer/explorer.js";
import { byId } from "../page/element.js";
import type { FindingsRequest } from "../request/request-form.js";
import { optionsOf } from "../service/work-location.js";
import { createExport, type Export } from "./export.js";

/** The origin of the shown findings. */
export interface Source {
  request: FindingsRequest;
  baseUrl: string;
  resumed: boolean;
}

export class ExportPanel {
  #element = byId("export-panel");
  #explorer: Explorer;
  #source: Source | undefined;
  #export: Export;
  #code = createCodePanel();

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
    this.#export = createExport({ view: () => explorer.view, name: () => nameOf(this.#source) });
    this.#element.append(this.#export.element, this.#code.element);
    explorer.onShown(() => this.#refresh());
  }

  /** Sets the origin of the findings shown from now on. */
  set source(source: Source | undefined) {
    this.#source = source;
    this.#refresh();
  }

  #refresh(): void {
    const { view, filter, sort } = this.#explorer;
    this.#element.hidden = view === undefined;
    this.#export.refresh();
    if (this.#source === undefined || view === undefined) {
      this.#code.show(undefined);
      return;
    }
    const { request, baseUrl, resumed } = this.#source;
    const { inspectionKey, kind, own, workLocation } = request;
    const header = own?.tokenHeader === undefined ? {} : { tokenHeader: own.tokenHeader };
    const options = { ...optionsOf(workLocation), failurePolicy: "collect" };
    const order = sort === undefined ? {} : { sort };
    const from = { baseUrl, isBuiltIn: own === undefined, ...header };
    this.#code.show({ inspectionKey, kind, ...from, options, resumed, filter, ...order });
  }
}

function nameOf(source: Source | undefined): string {
  const { inspectionKey, kind } = source?.request ?? { inspectionKey: 0, kind: "sentiment" as FindingKind };
  return `inspection-${inspectionKey}-${kind}`;
}
