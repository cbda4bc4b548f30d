import { getFindings } from "inspection-findings/inline";
import { retrieveInPage } from "../common/in-page.js";

retrieveInPage(getFindings);
