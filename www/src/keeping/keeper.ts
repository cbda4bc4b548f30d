/** The tables that this browser keeps for the next visit, if the reader wants it. */

import { FindingsError, FindingsTable } from "inspection-findings";
import { openTableStore, type TableStore } from "../../../tests/browser/recipes/table-store.js";

/** The properties of the kept files that the page knows without opening them. */
interface Kept {
  isOn: boolean;
  /** The file of each subject: what was loaded, from which service. */
  files: Record<string, { name: string; bytes: number }>;
}

const key = "inspection-findings: kept";

export class Keeper {
  #kept = readKept();
  #store: Promise<TableStore> | undefined;

  /** Whether tables are kept. Off until the reader turns it on. */
  get isOn(): boolean {
    return this.#kept.isOn;
  }

  get tables(): number {
    return Object.keys(this.#kept.files).length;
  }

  get bytes(): number {
    return Object.values(this.#kept.files).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Turns it on, or off, which deletes everything. */
  async turn(isOn: boolean): Promise<void> {
    this.#write({ ...this.#kept, isOn });
    if (!isOn) {
      await this.clear();
    }
  }

  /** Opens the table of a subject, or undefined if there is none that this page can read. */
  async open(subject: string): Promise<FindingsTable | undefined> {
    const file = this.isOn ? this.#kept.files[subject] : undefined;
    const bytes = file && (await (await this.#open()).read(file.name).catch(() => undefined));
    if (bytes === undefined) {
      return undefined;
    }
    return FindingsTable.fromBytes(bytes).catch((error) => {
      // Of another version of the package, or damaged.
      if (error instanceof FindingsError && error.code === "bytes") {
        return undefined;
      }
      throw error;
    });
  }

  /** Keeps the table of a subject. Rejects if the browser has no room for it. */
  async keep(subject: string, table: FindingsTable): Promise<void> {
    const bytes = table.toBytes();
    const name = this.#kept.files[subject]?.name ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
    await (await this.#open()).write(name, bytes);
    if (this.isOn) {
      this.#write({ ...this.#kept, files: { ...this.#kept.files, [subject]: { name, bytes: bytes.length } } });
    } else {
      // The reader has turned it off meanwhile.
      await this.clear();
    }
  }

  /** Deletes all tables. */
  async clear(): Promise<void> {
    await (await this.#open()).clear();
    this.#write({ ...this.#kept, files: {} });
  }

  #open(): Promise<TableStore> {
    this.#store ??= openTableStore();
    return this.#store;
  }

  #write(kept: Kept): void {
    this.#kept = kept;
    try {
      localStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // Without local storage, the next visit finds nothing.
    }
  }
}

function readKept(): Kept {
  try {
    const { isOn = false, files = {} } = JSON.parse(localStorage.getItem(key) ?? "{}");
    return { isOn, files };
  } catch {
    // A browser without local storage throws. Text that is not JSON is not from this page.
    return { isOn: false, files: {} };
  }
}
