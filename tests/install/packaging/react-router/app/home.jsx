import { getFindings } from "inspection-findings";
import { useEffect } from "react";
import { retrieveInPage } from "../common/in-page.js";

export default function Home() {
  useEffect(() => retrieveInPage(getFindings), []);
  return <p>A project</p>;
}
