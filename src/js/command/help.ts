// The commands: what each needs and the options that it has, which `parseArgs` reads, and the text of `--help`.

const JOIN = "[--join CSV --on COLUMN] [--sparse]";

/** The words of each command. An option without a value in capitals has none. */
export const USAGES = {
  export:
    "KEY sentiment|topics --to FILE [--columns NAMES] [--where JSON] [--separator CHARACTER] " +
    `[--per COLUMN --by COLUMN [--base CSV]] ${JOIN}`,
  counts: "KEY [--json]",
  summary: `KEY [sentiment|topics] --by COLUMN [--across COLUMN] [--distinct COLUMN] ${JOIN} [--json]`,
  check: "KEY [--origin URL] [--json]",
};

/** The options of all commands. */
export const COMMON = "[--base-url URL] [--token-header NAME] [--help]";

export const HELP = `Usage: npx inspection-findings COMMAND KEY [OPTIONS], where KEY is the key of the inspection

Commands:
  export ${USAGES.export}
      Save all findings of one kind. The ending of FILE chooses the format: .parquet, .csv, .xlsx or .ndjson.
      Start an interrupted export again to continue it. With --per and --by, save one row of each respondent instead, with 1 or 0 for each value
      of the column --by, such as --per RespondentId --by TopicGroup.
  counts ${USAGES.counts}
      Print how many partitions and findings the inspection has.
  summary ${USAGES.summary}
      Print the number of findings and the mean sentiment of each group. Repeat --by to group by several columns.
  check ${USAGES.check}
      Ask the service with a few requests, and print how it responds and what that means. The report has no texts and no token.

Options:
  --base-url URL         the service's URL; otherwise FINDINGS_URL
  --token-header NAME    authorization (the default) or authentication
  --columns NAMES        only these columns in an export, with commas between their names; those of --join, too
  --where JSON           only findings that meet conditions, such as '{"Sentiment":{"max":-1}}', or '@FILE' with such JSON
  --separator CHARACTER  ';' for semicolons between the fields of a .csv file, and decimal commas
  --join CSV             add the columns of a CSV file to the findings. --on names the column that the file and the findings have
  --base CSV             a row for each respondent in the column --per of a CSV file, also for those who have no findings
  --sparse               a column that is named may be missing in the first findings
  --across COLUMN        print a cross tabulation of the counts instead, whose columns are the values of this column
  --distinct COLUMN      count the distinct values of a column, too, or instead of findings with --across: RespondentKey counts people
  --origin URL           a page that wants to call the service: check its CORS headers, too
  --json                 print JSON
  --help, -h             print this text; --version prints the version

Environment:
  FINDINGS_URL         the service's URL
  FINDINGS_TOKEN       the token, as the service issued it
  FINDINGS_TOKEN_FILE  a file with the token, read again for each request

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 and 143 interrupted.
`;
