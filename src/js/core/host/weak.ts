// A weak reference where the engine has them: Cloudflare's runtime has none before the compatibility date 2025-05-05.

/** Returns a function that returns `target`, without keeping it alive. Without weak references, it keeps it alive. */
export function weakly<Target extends object>(target: Target): () => Target | undefined {
  return typeof WeakRef === "function" ? byReference(new WeakRef(target)) : () => target;
}

/** A function apart, because engines let all functions of a scope keep its variables alive. */
function byReference<Target extends object>(reference: WeakRef<Target>): () => Target | undefined {
  return () => reference.deref();
}
