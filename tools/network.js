/**
 * A network namespace for a command, whose interfaces never change. A browser closes all connections, even those to its own machine,
 * whenever a network interface appears or disappears.
 */

import { capture, log } from "./command.js";

/** Creates a namespace as root, or as any user where user namespaces are allowed. */
const ways = [["--net"], ["--net", "--user", "--map-root-user"]];

/**
 * Sets up the loopback and a pair of interfaces, because a browser with only a loopback is offline. They have no IPv6
 * address, which would be assigned only later and count as a change.
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
 * Returns a command that runs another one in its own network, or the command itself where namespaces are not allowed.
 * @param {string[]} command
 */
export function inOwnNetwork(command) {
  const way = ways.find((options) => capture("unshare", [...options, "sh", "-c", setUp]) !== undefined);
  if (way === undefined) {
    log(
      "The machine's own network is used (no other can be had with `unshare` and `ip`): a change to it disturbs the tests.",
    );
    return command;
  }
  return ["unshare", ...way, "sh", "-c", `${setUp} && exec "$@"`, "sh", ...command];
}
