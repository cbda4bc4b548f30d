/** The blocks of the guides, which tests/docs/snippets.test.js compiles. */
declare module "www/docs/*";
declare module "README.md/*";
