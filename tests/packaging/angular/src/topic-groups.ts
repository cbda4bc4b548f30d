/** A component of Angular that shows a live table. */

import { afterRenderEffect, Component, computed, DestroyRef, inject, input, signal } from "@angular/core";
import {
  type FindingsClient,
  type InspectionKey,
  type LiveSnapshot,
  type LiveTable,
  messageOf,
} from "inspection-findings";

@Component({
  selector: "topic-groups",
  template: `
    @if (state() === "loading") {
      <p>Loading … <button (click)="live?.cancel()">Cancel</button></p>
    } @else if (state() === "complete") {
      <button (click)="load()">Reload</button>
    } @else {
      <p role="alert">{{ message() }} <button (click)="live?.resume()">Try again</button></p>
    }
    <ul>
      @for (group of groups(); track group.key[0]) {
        <li>{{ group.key[0] ?? "no group" }}: {{ group.count }}</li>
      }
    </ul>
  `,
})
export class TopicGroups {
  readonly client = input.required<FindingsClient>();
  readonly inspectionKey = input.required<InspectionKey>();
  protected readonly snapshot = signal<LiveSnapshot | undefined>(undefined);
  protected readonly state = computed(() => this.snapshot()?.state ?? "loading");
  protected readonly groups = computed(() => this.snapshot()?.table.countBy("TopicGroup") ?? []);
  protected readonly message = computed(() => messageOf(this.snapshot()?.error) ?? "Stopped.");
  protected live?: LiveTable;

  constructor() {
    // Angular runs this again when an input changes, and never on a server.
    afterRenderEffect(() => this.load());
    inject(DestroyRef).onDestroy(() => this.live?.free());
  }

  protected load() {
    this.live?.free();
    const live = this.client().watchTable(this.inspectionKey(), "sentiment", { failurePolicy: "collect" });
    this.live = live;
    const update = () => {
      const snapshot = live.getSnapshot();
      this.snapshot.set(snapshot);
      if (snapshot.state === "failed" || snapshot.state === "partial") console.error(snapshot.error);
    };
    update();
    live.subscribe(update);
  }
}
