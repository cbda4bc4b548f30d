// Listening to targets that many calls share, above all to signals: each target has one listener, because hosts such as Node warn of many.

/** Those who listen to a target, and the one listener by which they do. */
class Audience {
  readonly #target: EventTarget;
  readonly #event: string;
  readonly #members = new Set<() => void>();
  #listener: () => void = () => {};

  /** @throws what the target throws when it is listened to */
  constructor(target: EventTarget, event: string) {
    this.#target = target;
    this.#event = event;
    this.#listen();
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  add(hear: () => void): void {
    this.#members.add(hear);
  }

  /** Takes the listener away with the last member. */
  delete(hear: () => void): void {
    if (this.#members.delete(hear) && this.isEmpty) this.#unlisten();
  }

  #listen(): void {
    const heard = new Promise<void>((resolve) => {
      // The host's own function needs no stack: the code that causes the event may have none left, and an error of a listener ends Node.
      this.#listener = resolve.bind(undefined, undefined);
    });
    this.#target.addEventListener(this.#event, this.#listener);
    heard.then(() => this.#tell());
  }

  #unlisten(): void {
    try {
      this.#target.removeEventListener(this.#event, this.#listener);
    } catch {
      // It does not let go of its listener, which nobody hears any more.
    }
  }

  #tell(): void {
    for (const hear of [...this.#members]) {
      // A member may leave before its turn, and a target may call a listener that was taken away from it.
      if (this.#members.has(hear)) hear();
    }
    if (this.isEmpty) return;
    // A promise resolves only once, and a target that is no signal may have more to say.
    this.#unlisten();
    try {
      this.#listen();
    } catch {
      // It had let itself be listened to before.
    }
  }
}

const audiences: Record<string, WeakMap<EventTarget, Audience>> = {};

/**
 * Calls `hear` after each event of a target until the function that it gives is called: never at once, but on a stack of its own. `hear` must not
 * throw.
 *
 * @throws what the target throws when it is listened to
 */
export function listen(target: EventTarget, event: string, hear: () => void): () => void {
  audiences[event] ??= new WeakMap();
  const ofEvent = audiences[event];
  const audience = ofEvent.get(target) ?? new Audience(target, event);
  ofEvent.set(target, audience);
  audience.add(hear);
  return () => {
    audience.delete(hear);
    if (audience.isEmpty && ofEvent.get(target) === audience) ofEvent.delete(target);
  };
}
