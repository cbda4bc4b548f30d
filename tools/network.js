/**
 * A network of its own for a command: nothing else is on it, and nothing changes about it. A browser breaks connections, those to its
 * own machine too, whenever an interface of the machine comes or goes.
 */

import { answer, say } from "./command.js";

/** As the administrator, or as anybody where anybody may be one within a namespace. */
const ways = [["--net"], ["--net", "--user", "--map-root-user"]];

/**
 * The loopback, and two interfaces that lead to each other, for a browser with nothing but a loopback takes itself for offline. They
 * have no address that would come only a while later, which would be a change.
 */
const setUp = [
  "ip link set lo up",
  "ip link add one type veth peer name other",
  "ip link set one addrgenmode none",
  "ip link set other addrgenmode none",
  "ip address add 192.0.2.1/24 dev one",
  "ip link set other up",
  "ip link set one up",
].join(" && ");

/**
 * A command that runs another one in a network of its own, or just that one where no such network can be had.
 * @param {string[]} command
 */
export function inOwnNetwork(command) {
  const way = ways.find((options) => answer("unshare", [...options, "sh", "-c", setUp]) !== undefined);
  if (way === undefined) {
    say(
      "The machine's own network is used (no other can be had with `unshare` and `ip`): a change to it disturbs the tests.",
    );
    return command;
  }
  return ["unshare", ...way, "sh", "-c", `${setUp} && exec "$@"`, "sh", ...command];
}
