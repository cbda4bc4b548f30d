/** The content security policy: the page never violates it, and attacks always do. */

import type { Page } from "@playwright/test";
import { expect, later, test } from "./demo-page.js";
import { developmentServer } from "./module-page.js";
import { open, serve } from "./second-origin.js";

/** The violations of the policy. */
interface Refusal {
  directive: string;
  blocked: string;
}

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    const refusals: Refusal[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      refusals.push({ directive: effectiveDirective, blocked: blockedURI });
    });
    Object.assign(globalThis, { refusals, showSaveFilePicker: undefined });
  });
});

test.describe("the page", () => {
  test.use({ failingStatuses: true });

  test("never violates the policy in any state, and sends no request to other hosts", { tag: "@full" }, async ({
    demo,
    page,
    baseURL,
  }) => {
    const hosts = new Set<string>();
    // DuckDB's module reaches its worker as a blob, whose address has the origin inside.
    page.on("request", (request) => hosts.add(new URL(request.url().replace(/^blob:/, "")).host));
    page.on("websocket", (socket) => hosts.add(socket.url()));
    await page.reload();
    const states: Record<string, () => Promise<unknown>> = {
      ready: async () => {},
      "the laboratory is open": () => page.getByText("Fault laboratory").click(),
      complete: () => demo.run("Small"),
      "a chart is a table": () =>
        page
          .getByRole("button", { name: /as a table$/ })
          .first()
          .click(),
      filtered: () => page.locator("#charts tbody button").first().click(),
      searched: () => page.getByRole("searchbox").fill("the"),
      ordered: () => page.getByLabel("Order", { exact: true }).selectOption({ index: 2 }),
      "a finding is open": async () => {
        await demo.rows.first().click();
        await expect(page.getByRole("dialog")).toBeVisible();
        await page.getByRole("button", { name: "Close" }).click();
      },
      exported: async () => {
        for (const format of ["CSV", "NDJSON", "Parquet", "Arrow"]) {
          const download = page.waitForEvent("download");
          await page.getByRole("button", { name: `Save as ${format}` }).click();
          await (await download).path();
        }
      },
      "asked in SQL": async () => {
        await page.getByText("Ask in SQL").click();
        await page.getByRole("button", { name: "Run", exact: true }).click();
        await expect(page.locator(".sql-rows")).toBeVisible({ timeout: 30_000 });
      },
      "code is copied": () => page.locator(".code-panel").getByRole("button", { name: "Copy" }).click(),
      topics: () => demo.run("Small", "Topics"),
      retried: () => demo.run("Flaky"),
      failed: () => demo.run("Unknown inspection"),
      "failed in part": async () => {
        await demo.choose("Service errors");
        await demo.load.click();
        await expect(demo.heading).not.toHaveText(/Ready|Loading/);
      },
      cancelled: async () => {
        await demo.choose("Slow");
        await demo.load.click();
        await demo.cancel.click();
        await demo.ended();
      },
      empty: () => demo.run("Empty"),
      large: () => demo.run("Large"),
      "their own service": () => page.getByRole("radio", { name: "Your own" }).check(),
    };
    for (const [name, reach] of Object.entries(states)) {
      await test.step(name, async () => {
        await reach();
        expect(await refusals(page)).toEqual([]);
      });
    }
    expect([...hosts]).toEqual([new URL(String(baseURL)).host]);
  });

  test("names no other host in any of its files", async ({ demo, page, request, baseURL }) => {
    const addresses = new Set<string>();
    page.on("request", (request) => {
      if (/\.(js|css|svg)$|\/$/.test(new URL(request.url()).pathname)) {
        addresses.add(request.url());
      }
    });
    await page.reload();
    await demo.run("Small");
    const own = new URL(String(baseURL)).host;
    expect(addresses.size).toBeGreaterThan(4);
    for (const url of addresses) {
      const body = await (await request.get(url)).text();
      const loaded = body.match(/(?:import|url|src=|href=|fetch)\s*\(?\s*["']?(?:https?:)?\/\/[^"')\s]+/g) ?? [];
      expect(
        loaded.filter((address) => !address.includes(own)),
        url,
      ).toEqual([]);
    }
  });
});

test("the policy applies to the page of the development server, too", async ({ page }) => {
  await page.goto(new URL(later(), developmentServer()).href);
  await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", '<img src="x" onerror="alert(1)">'));
  await expect.poll(async () => (await refusals(page)).map(({ directive }) => directive)).toEqual(["script-src-attr"]);
});

test.describe("the policy", () => {
  /** Attacks by text that has become markup, each with the directive that stops it. */
  const attacks: Record<string, { directive: string; attack: () => void }> = {
    "an inline script": {
      directive: "script-src-elem",
      attack: () => {
        const script = document.createElement("script");
        script.textContent = "globalThis.harmed = true";
        document.body.append(script);
      },
    },
    "a script of another host": {
      directive: "script-src-elem",
      attack: () => {
        document.body.append(Object.assign(document.createElement("script"), { src: "https://elsewhere.test/x.js" }));
      },
    },
    "a script out of a blob": {
      directive: "script-src-elem",
      attack: () => {
        const src = URL.createObjectURL(new Blob(["globalThis.harmed = true"], { type: "text/javascript" }));
        document.body.append(Object.assign(document.createElement("script"), { src }));
      },
    },
    "the handler of an image": {
      directive: "script-src-attr",
      attack: () =>
        document.body.insertAdjacentHTML("beforeend", '<img src="icon" onerror="globalThis.harmed = true">'),
    },
    "an address that is a script": {
      directive: "script-src-elem",
      attack: () => {
        document.body.insertAdjacentHTML("beforeend", '<a href="javascript:void(globalThis.harmed = true)">x</a>');
        document.body.querySelector<HTMLElement>("a[href^=javascript]")?.click();
      },
    },
    "code out of a text": {
      directive: "script-src",
      // In a task of the page, because the policy does not apply to code that the test evaluates.
      attack: () => {
        setTimeout(() => {
          try {
            new Function("globalThis.harmed = true")();
          } catch {
            // Expected; the test checks the violation.
          }
        });
      },
    },
    "a worker out of a blob": {
      directive: "worker-src",
      attack: () => {
        try {
          new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
        } catch {
          // Some browsers throw, others dispatch an event to the worker.
        }
      },
    },
    "an image of another host": {
      directive: "img-src",
      attack: () => document.body.insertAdjacentHTML("beforeend", '<img src="https://elsewhere.test/x.png">'),
    },
    "a style in markup": {
      directive: "style-src-attr",
      attack: () => document.body.insertAdjacentHTML("beforeend", '<p style="position: fixed; inset: 0">x</p>'),
    },
    "a style sheet in markup": {
      directive: "style-src-elem",
      attack: () => document.body.insertAdjacentHTML("beforeend", "<style>* { display: none }</style>"),
    },
    "a frame": {
      directive: "frame-src",
      attack: () => document.body.insertAdjacentHTML("beforeend", '<iframe src="https://elsewhere.test/"></iframe>'),
    },
    "a plug-in": {
      directive: "object-src",
      attack: () => document.body.insertAdjacentHTML("beforeend", '<object data="https://elsewhere.test/x"></object>'),
    },
    "another base of addresses": {
      directive: "base-uri",
      attack: () => document.head.insertAdjacentHTML("beforeend", '<base href="https://elsewhere.test/">'),
    },
    "a form that is sent elsewhere": {
      directive: "form-action",
      attack: () => {
        document.body.insertAdjacentHTML("beforeend", '<form action="https://elsewhere.test/"><input name="x"></form>');
        document.body.querySelector<HTMLFormElement>("form[action]")?.submit();
      },
    },
    "a request over plain http": {
      directive: "connect-src",
      attack: () => {
        fetch("http://elsewhere.test/").catch(() => {});
      },
    },
    "a socket": {
      directive: "connect-src",
      attack: () => {
        try {
          new WebSocket("wss://elsewhere.test/");
        } catch {
          // Some browsers throw, others close the socket.
        }
      },
    },
  };

  test("refuses every attack", async ({ page }) => {
    await page.route("**/*elsewhere.test/**", (route) => route.fulfill({ body: "globalThis.harmed = true" }));
    for (const [name, { directive, attack }] of Object.entries(attacks)) {
      await test.step(name, async () => {
        await page.goto(later());
        await page.evaluate(attack);
        await expect.poll(async () => (await refusals(page)).map((refusal) => refusal.directive)).toContain(directive);
        expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
      });
    }
  });

  test("allows a service on any host over https, and one on this machine", async ({ page }) => {
    await using service = await serve();
    await page.route("https://elsewhere.test/", (route) => route.fulfill({ headers: open }));
    await page.goto(later());
    const statuses = await page.evaluate(async (own) => {
      const asked = ["https://elsewhere.test/", own, own.replace("127.0.0.1", "localhost")].map((url) =>
        fetch(url).then(
          ({ status }) => status,
          () => "failed",
        ),
      );
      return Promise.all(asked);
    }, service.baseUrl);
    expect(statuses).toEqual([200, 404, 404]);
    expect(await refusals(page)).toEqual([]);
  });

  test("is before everything to which it applies", async ({ request }) => {
    const html = await (await request.get("./")).text();
    const policy = html.indexOf("Content-Security-Policy");
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(html.search(/<script|<link|<style/));
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style/);
    // A browser searches for the encoding in the first 1024 bytes only.
    expect(html.indexOf("<meta charset")).toBeLessThan(1000);
  });
});

test.describe("findings that are markup", () => {
  test.use({ otherPorts: true });

  const image = '<img src="https://elsewhere.test/x" onerror="globalThis.harmed = true">';
  const turned = "\u202etfel ot thgir";
  const comment = `${image} ${turned} <b>bold</b><script>globalThis.harmed = true</script>`;
  const finding = {
    [`<i>${image}</i>`]: image,
    Comment: comment,
    Topic: { Text: `<i>topic</i>${image}` },
    TopicGroup: `<u>group</u>${turned}`,
    Expression: { Text: "<u>two</u>" },
    ExpressionGroup: image,
    Extract: { Anything: "<b>bold</b>" },
    Sentiment: -2,
  };

  test("stay text in list, charts, filters, details and code", async ({ demo, page }) => {
    page.on("dialog", () => expect(true, "no dialog opens").toBe(false));
    await using service = await serve({ partitions: [JSON.stringify([finding])] });
    await page.getByRole("radio", { name: "Your own" }).check();
    await page.getByLabel("Base URL").fill(service.baseUrl);
    await demo.load.click();
    await demo.ended();
    await expect(demo.rows).toHaveCount(1);
    await expect(demo.rows.first()).toContainText(`${turned} <b>bold</b><script>`);
    await expect(demo.rows.locator("mark")).toHaveText("<b>bold</b>");
    await staysText(page);

    await page.locator("#charts tbody button", { hasText: "<u>group</u>" }).press("Enter");
    await expect(page.getByRole("button", { name: /^Remove the filter/ })).toContainText("<u>group</u>");
    await expect(page.locator(".code-lines")).toContainText("<u>group\\u003c/u>\\u202etfel ot thgir");
    await staysText(page);

    await demo.rows.first().click();
    await expect(page.getByRole("dialog")).toContainText(comment);
    await expect(page.getByRole("dialog")).toContainText(image);
    await staysText(page);
  });

  test("do not reverse the text beside them", async ({ demo, page }) => {
    await using service = await serve({ partitions: [JSON.stringify([finding])] });
    await page.getByRole("radio", { name: "Your own" }).check();
    await page.getByLabel("Base URL").fill(service.baseUrl);
    await demo.load.click();
    await demo.ended();
    const texts = page
      .locator("#result *", { hasText: turned })
      .filter({ hasNot: page.locator("*", { hasText: turned }) });
    await expect(texts).not.toHaveCount(0);
    const isolations = await texts.evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element.closest("[dir=auto]") ?? element).unicodeBidi),
    );
    for (const isolation of isolations) {
      expect(isolation).toMatch(/isolate|plaintext/);
    }
  });
});

function refusals(page: Page): Promise<Refusal[]> {
  return page.evaluate(() => Reflect.get(globalThis, "refusals"));
}

/** Expects that no finding has become an element, was fetched or was run. */
async function staysText(page: Page): Promise<void> {
  await expect(page.locator("main, dialog").locator("img, i, b, u, script")).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
  expect(await refusals(page)).toEqual([]);
}
