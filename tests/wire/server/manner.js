/** The manner of a response: plain data, because the page sends it to the service. */

/**
 * A missing member means the behaviour of a correct service.
 * @typedef {object} Manner
 * @property {boolean} [held] whether the response waits until the test releases it
 * @property {number} [status]
 * @property {Record<string, string | null>} [headers] added or replaced headers; null removes one
 * @property {string} [head] everything before the body, in place of status and headers
 * @property {string} [body] in place of the correct one
 * @property {"latin1" | "utf16le"} [charset] of that body, in place of UTF-8
 * @property {number} [padding] number of spaces after the body
 * @property {"gzip" | "br"} [encoding] of the body
 * @property {number} [shorten] number of bytes to cut from the end of the encoded body, with a matching length
 * @property {"chunked" | "close"} [framing] the mark of the end of the body, in place of its length
 * @property {number} [chunk] bytes of each chunk
 * @property {number} [lie] the excess of `content-length` over the real length
 * @property {{ at: number, text: string }} [overwrite] replaces bytes of the framed body, chunk sizes included
 * @property {{ bytes: number, every: number }} [pace] bytes of each write, and milliseconds between two
 * @property {Stop} [stop]
 */

/**
 * The early end of a response.
 * @typedef {object} Stop
 * @property {{ head: number } | { body: number } | "end"} after number of bytes of the head or the body; a negative number counts from its end
 * @property {"close" | "reset" | "stall"} by
 */

/**
 * The requests for a manner. The first matching rule applies.
 * @typedef {object} Rule
 * @property {"GET" | "OPTIONS"} [method] `GET` by default
 * @property {number} [index] of the partition; −1 for the counts; any by default
 * @property {number} [times] number of first requests of each address; all by default
 * @property {Manner} manner
 */

/**
 * @typedef {object} Settings
 * @property {number} [partitions] of each kind
 * @property {Rule[]} [rules]
 */

/**
 * A request, and the state of its response.
 * @typedef {object} Visit
 * @property {string} method
 * @property {string} path
 * @property {number} index of the partition; −1 for anything else
 * @property {number} count the number of requests for this address by this method, including this one
 * @property {Record<string, string>} headers by their names in lower case
 * @property {number} sent number of bytes of the body written to the connection
 * @property {boolean} stalled whether the response has stalled on an open connection
 * @property {"open" | "responded" | "broken" | "left"} state `broken`: by the manner; `left`: the client closed the connection
 */

export {};
