import { Component } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { FindingsClient, getFindings } from "inspection-findings";
import { retrieveInPage } from "../common/in-page.js";
import { TopicGroups } from "./topic-groups";

const query = new URLSearchParams(location.search);

@Component({
  selector: "app-root",
  imports: [TopicGroups],
  template: `
    <p>A project</p>
    @if (client) {
      <topic-groups [client]="client" [inspectionKey]="42" />
    }
  `,
})
class App {
  readonly client = query.has("recipe") ? new FindingsClient({ baseUrl: query.get("service") ?? "" }) : undefined;

  ngOnInit() {
    retrieveInPage(getFindings, () => new Worker(new URL("./own.worker", import.meta.url), { type: "module" }));
  }
}

bootstrapApplication(App);
