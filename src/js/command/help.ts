// The text of `--help`.

export const HELP = `Usage: npx inspection-findings COMMAND INSPECTION_KEY [OPTIONS]

Commands:
  export KEY sentiment|topics --to FILE [--columns NAMES] [--where JSON] [--separator SEPARATOR] [--join CSV --on COLUMN]
      Save all findings of one kind. The ending of FILE chooses the format: .parquet, .csv, .xlsx or .ndjson.
      Start an interrupted export again to continue it.
  export KEY sentiment|topics --per COLUMN --by COLUMN --to FILE.csv [--join CSV --on COLUMN]
      Save one row of each respondent instead, with 1 or 0 for each value of the column --by, such as --per RespondentId --by TopicGroup.
  counts KEY [--json]
      Print how many partitions and findings the inspection has.
  summary KEY [sentiment|topics] --by COLUMN [--across COLUMN] [--distinct COLUMN] [--join CSV --on COLUMN] [--json]
      Print the number of findings and the mean sentiment of each group. Repeat --by to group by several columns. With --across, print a
      cross tabulation of the counts instead.
  check KEY [--origin URL] [--json]
      Ask the service with a few requests, and print what it answers and what that means. The report has no texts and no token.

Options:
  --base-url URL       the service's URL; otherwise FINDINGS_URL
  --token-header NAME  authorization (the default) or authentication
  --join CSV           add the columns of a CSV file to the findings. --on names the column that the file and the findings have
  --columns NAMES      only these columns in an export, with commas between their names; those of --join, too
  --where JSON         only findings that meet conditions, such as '{"Sentiment":{"max":-1}}', or '@FILE' with such JSON
  --sparse             a column that is named may be missing in the first findings
  --separator ';'      semicolons between the fields of a .csv file, and decimal commas
  --across COLUMN      the column whose values are the columns of a cross tabulation
  --distinct COLUMN    count the distinct values of a column, too, or instead of findings with --across: RespondentKey counts people
  --origin URL         a page that wants to call the service: check its CORS headers, too
  --json               print JSON
  --help, -h           print this text
  --version            print the version

Environment:
  FINDINGS_URL         the service's URL
  FINDINGS_TOKEN       the token, as the service issued it
  FINDINGS_TOKEN_FILE  a file with the token, read again for each request

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 and 143 interrupted.
`;
