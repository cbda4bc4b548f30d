const { Zone } = globalThis;

export const zones = {
  within: (user, run) => Zone.root.fork({ name: "a user", properties: { user } }).run(run),
  current: () => Zone.current.get("user"),
};
