// Starts a worker from the URL or the text of its script, with a policy if the engine has Trusted Types.

/** A worker that has been started. */
export interface Started {
  readonly worker: Worker;
  /** The URL of its script; undefined if the caller has started it. */
  readonly url?: string;
  /** Releases what the script needed to start. */
  release(): void;
}

/** The parameters of `new Worker`. */
export type WorkerParameters = ConstructorParameters<typeof Worker>;

/** A policy of Trusted Types. */
interface Policy {
  createScriptURL(url: string): unknown;
}

const MODULE: WorkerOptions = { type: "module" };

/** The name of the policy in the directive `trusted-types`. */
const POLICY = "inspection-findings";

/** The policy, created on demand; null if there is none. */
let policy: Policy | null | undefined;

/** Whether no worker can be started, because the environment has none. */
export function lacksWorkers(): boolean {
  return typeof Worker !== "function";
}

/** Starts a worker from a script at a URL. A script on another origin is imported by a blob, which has the page's origin. */
export function startFromUrl(url: string | URL, options = MODULE): Started {
  const foreign = foreignAddress(url);
  if (foreign === undefined) return started(url, options);
  const address = JSON.stringify(foreign);
  return startFromText(options.type === "module" ? `import ${address};` : `importScripts(${address});`, options);
}

/** The absolute URL of a script on another origin. For one, `new Worker` throws or, in Firefox, starts nothing. */
function foreignAddress(url: string | URL): string | undefined {
  try {
    const { origin, href, protocol } = new URL(String(url), location.href);
    return origin !== globalThis.origin && /^https?:$/.test(protocol) ? href : undefined;
  } catch {
    // A relative URL in a worker that was started from a blob.
    return undefined;
  }
}

/** Starts a worker from the text of its script. */
export function startFromText(script: string, options = MODULE): Started {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const release = () => URL.revokeObjectURL(url);
  try {
    return { ...started(url, options), release };
  } catch (cause) {
    release();
    throw cause;
  }
}

function started(url: string | URL, options: WorkerOptions): Started {
  if (policy === undefined) policy = createdPolicy();
  // A trusted URL from a bundler stays unchanged.
  const isPlain = typeof url === "string" || url instanceof URL;
  const trusted = isPlain ? policy?.createScriptURL(String(url)) : undefined;
  // The constructor's types do not know trusted URLs.
  return { worker: new Worker((trusted ?? url) as string, options), url: String(url), release() {} };
}

/** Creates the policy; null if the engine has no Trusted Types, or the page allows no policy of this name. */
function createdPolicy(): Policy | null {
  try {
    const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
    return trustedTypes?.createPolicy(POLICY, { createScriptURL: (url) => url }) ?? null;
  } catch {
    // The page may have a default policy, or require none.
    return null;
  }
}
