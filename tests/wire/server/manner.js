/** The manner in which a request is answered: told by a test as plain data, since it goes from the page to the service. */

/**
 * What is left out is as a service that is well has it.
 * @typedef {object} Manner
 * @property {boolean} [held] whether it is answered only once the test releases it
 * @property {number} [status]
 * @property {Record<string, string | null>} [headers] more headers, or others; null: left out
 * @property {string} [head] everything up to the body, in place of status and headers
 * @property {string} [body] in place of the true one
 * @property {number} [padding] how many spaces follow the body
 * @property {"gzip" | "br"} [encoding] of the body
 * @property {number} [shorten] how many bytes are left out at the end of the encoded body, with a length that fits
 * @property {"chunked" | "close"} [framing] what shows the end of the body, in place of its length
 * @property {number} [chunk] bytes of each chunk
 * @property {number} [lie] how much more than the truth `content-length` says
 * @property {{ at: number, text: string }} [overwrite] bytes of the body that are others on the wire, chunk sizes included
 * @property {{ bytes: number, every: number }} [pace] so many bytes at a time, with so many milliseconds between
 * @property {Stop} [stop]
 */

/**
 * Where the answer ends, and how.
 * @typedef {object} Stop
 * @property {{ head: number } | { body: number } | "end"} after so many bytes of the head or the body; a negative number counts from its end
 * @property {"close" | "reset" | "stall"} by
 */

/**
 * For which requests a manner is meant. The first rule that fits is followed.
 * @typedef {object} Rule
 * @property {"GET" | "OPTIONS"} [method] `GET` if left out
 * @property {number} [index] of the partition; −1: the counts; left out: any
 * @property {number} [times] only for so many requests of each address, the first ones; left out: for all
 * @property {boolean} [reused] only for requests on a connection that has carried another before
 * @property {Manner} manner
 */

/**
 * @typedef {object} Settings
 * @property {number} [partitions] of each kind
 * @property {Rule[]} [rules]
 */

/**
 * A request, and what became of its answer.
 * @typedef {object} Visit
 * @property {string} method
 * @property {string} path
 * @property {number} index of the partition; −1: anything else
 * @property {number} count how often this very address was asked for by this method, this time included
 * @property {Record<string, string>} headers by their names in lower case
 * @property {number} connection
 * @property {boolean} reused whether the connection has carried another request before
 * @property {number} sent bytes of the body that were given to the connection
 * @property {boolean} stalled whether nothing more comes although the client waits for more, on a connection that stays open
 * @property {"open" | "answered" | "broken" | "left"} state `broken`: as the manner wants it; `left`: the client closed the connection
 */

export {};
