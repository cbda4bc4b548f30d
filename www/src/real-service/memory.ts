/**
 * What the page remembers of the reader's own service: for the session of this tab, and nowhere else. A token is
 * remembered with the origin that it was typed for, and given out for that origin only.
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
    // A browser that keeps nothing throws here. What is not JSON is not from this page.
    return nothing;
  }
}

export function remember(what: Remembered): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(what));
  } catch {
    // Then it is remembered as long as the page is there.
  }
}
