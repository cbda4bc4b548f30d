// CORS headers for Express, or any server with the same arguments.

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {() => void} next
 */
export function allowOrigin(request, response, next) {
  response.setHeader("Access-Control-Allow-Origin", "https://app.example");
  response.setHeader("Access-Control-Expose-Headers", "Retry-After");
  response.setHeader("Vary", "Origin");
  if (request.method !== "OPTIONS") return next();
  response.setHeader("Access-Control-Allow-Methods", "GET");
  response.setHeader("Access-Control-Allow-Headers", "Authorization, authentication");
  response.setHeader("Access-Control-Max-Age", "600");
  response.writeHead(204).end();
}
