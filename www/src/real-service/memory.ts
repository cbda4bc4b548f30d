/**
 * The page's memory of the reader's own service, which lasts for the session of this tab. A token is stored with the origin
 * for which it was typed, and returned for that origin only.
 */

export interface Remembered {
  baseUrl: string;
  tokenHeader: string;
  tokens: Record<string, string>;
}

const key = "inspection-findings: own service";

export function remembered(): Remembered {
  const nothing = { baseUrl: "", tokenHeader: "", tokens: {} };
  try {
    return { ...nothing, ...JSON.parse(sessionStorage.getItem(key) ?? "{}") };
  } catch {
    // A browser without session storage throws. Text that is not JSON is not from this page.
    return nothing;
  }
}

export function remember(what: Remembered): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(what));
  } catch {
    // Without session storage, the values last as long as the page.
  }
}
