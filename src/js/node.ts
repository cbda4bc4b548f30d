// The package for Node: with its module inside, because the bundlers of server code do not keep a file beside the script.

export * from "./embedded.js";
