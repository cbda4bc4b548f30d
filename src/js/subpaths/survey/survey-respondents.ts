// The entry for rows of respondents, for the tool that has the rest of a survey.

export { type Respondents, type RespondentsOptions, respondentsOf } from "./respondents.js";
