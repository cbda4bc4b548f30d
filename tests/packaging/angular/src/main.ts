import { Component } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { getFindings } from "inspection-findings";
import { retrieveInPage } from "../common/in-page.js";

@Component({ selector: "app-root", template: "<p>A project</p>" })
class App {
  ngOnInit() {
    retrieveInPage(getFindings, () => new Worker(new URL("./own.worker", import.meta.url), { type: "module" }));
  }
}

bootstrapApplication(App);
